//! TLS with an authority of one's own, and proxies, against servers on loopback.

use std::{
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::Arc,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use mcp_errors::{Failure, FailureKind};
use rustls::{
    RootCertStore, ServerConfig, ServerConnection, StreamOwned,
    pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer},
    server::WebPkiClientVerifier,
};

use super::{
    call, modern, result,
    server::{Server, json},
};
use crate::http::client::{HttpClient, Unreachable};

/// The certificate of an authority whose key is lost.
const AUTHORITY: &str = "\
    MIIBtjCCAVugAwIBAgIUfry9ndYN50i0IBYr/34wQlNwq00wCgYIKoZIzj0EAwIwJzElMCMGA1UEAwwcbWNwLXRyYW5zcG9ydCB0\
    ZXN0IGF1dGhvcml0eTAgFw0yNjExMzAxMjM2MDdaGA8yMTI2MTEwNjEyMzYwN1owJzElMCMGA1UEAwwcbWNwLXRyYW5zcG9ydCB0\
    ZXN0IGF1dGhvcml0eTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABN+dhSSFbbRRk3v0l6dy6LT9VXzDOTiavTDJSGp3fJVPdmDr\
    82A9Uodh3GPFvldWNhsgmR+XzCZnenph0t793W2jYzBhMB0GA1UdDgQWBBQKudIwD6p/us7Q+oIkUeX1KZUyiDAfBgNVHSMEGDAW\
    gBQKudIwD6p/us7Q+oIkUeX1KZUyiDAPBgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQEAwICBDAKBggqhkjOPQQDAgNJADBGAiEA\
    jSLhX+UgS6AJ4bJm/WiJEe/ZkLOGzwTx1CpLnVkKH9oCIQCwlYcP3PsSPcZ+EIBlAPWAeTCAEEueMi3S2AL3NsvoUg==";

/// What it certified: localhost and 127.0.0.1, for a century.
const LEAF: &str = "\
    MIIByzCCAXKgAwIBAgIUDmrKXAw5CjvaseTAr1ggycCUSaMwCgYIKoZIzj0EAwIwJzElMCMGA1UEAwwcbWNwLXRyYW5zcG9ydCB0\
    ZXN0IGF1dGhvcml0eTAgFw0yNjExMzAxMjM2MDdaGA8yMTI2MTEwNjEyMzYwN1owFDESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYH\
    KoZIzj0CAQYIKoZIzj0DAQcDQgAEV2OpsaVb1V+VZ6u245jqPWxvD5rxpPKVZvKwpvyzoAxr6wbsaCsafx41y4HMb499P9R2s79R\
    gUG0HF1RruA5DqOBjDCBiTAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCQYDVR0TBAIwADATBgNVHSUEDDAKBggrBgEFBQcD\
    ATALBgNVHQ8EBAMCB4AwHQYDVR0OBBYEFCMIEYWewMFOkD620gOCC56I5ueiMB8GA1UdIwQYMBaAFAq50jAPqn+6ztD6giRR5fUp\
    lTKIMAoGCCqGSM49BAMCA0cAMEQCIHnbA9qnpYZR9s+48tLheOkjBsbe+nsJypVQS3Npzyj0AiAt5dDNKWSVZZRoYrhQtaPnFMXa\
    5+KgCK68tzyt37BuVQ==";

/// The key of that, which protects nothing.
const KEY: &str = "\
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgr/sbKuhcESEbEsAxKK7IgDX+2KweMEzvTQC2Y2YZ87OhRANCAARX\
    Y6mxpVvVX5Vnq7bjmOo9bG8PmvGk8pVm8rCm/LOgDGvrBuxoKxp/HjXLgcxvj30/1Hazv1GBQbQcXVGu4DkO";

/// What it certified for a client.
const CLIENT: &str = "\
    MIIBvTCCAWSgAwIBAgIUDmrKXAw5CjvaseTAr1ggycCUSaQwCgYIKoZIzj0EAwIwJzElMCMGA1UEAwwcbWNwLXRyYW5zcG9ydCB0\
    ZXN0IGF1dGhvcml0eTAgFw0yNjExMzAxMjUyMjRaGA8yMTI2MTEwNjEyNTIyNFowJDEiMCAGA1UEAwwZbWNwLXRyYW5zcG9ydCB0\
    ZXN0IGNsaWVudDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABFAATBAK9Rjc9rPZ3Q9wO76+k23QgaaLRNaK+tNI6Z5N5zJ4Z83D\
    Fk0b2WDoSsv6/Ojb9cTuccPln3vLXThyzY6jbzBtMAkGA1UdEwQCMAAwEwYDVR0lBAwwCgYIKwYBBQUHAwIwCwYDVR0PBAQDAgeA\
    MB0GA1UdDgQWBBSWv1F8e4q+Df+5KZSgDqNq4oWr4TAfBgNVHSMEGDAWgBQKudIwD6p/us7Q+oIkUeX1KZUyiDAKBggqhkjOPQQD\
    AgNHADBEAiAqJtDIH3LutALohFZXzOcfz9omqJCE5oNWIW/Cna7wjQIgZYmzoVsmoJrZuN6MlHuhgOQCk1n/N5/Y2ac3VzBhJWQ=";

/// The key of that, which opens nothing.
const CLIENT_KEY: &str = "\
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgkPc11otGAx8UocwpdXlGaUqYM9kExqeqfpA+Zls7jfihRANCAARQ\
    AEwQCvUY3Paz2d0PcDu+vpNt0IGmi0TWivrTSOmeTecyeGfNwxZNG9lg6ErL+vzo2/XE7nHD5Z97y104cs2O";

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 36\r\n\r\n\
    {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}";

fn der(text: &str) -> Vec<u8> {
    STANDARD.decode(text).unwrap()
}

fn pem(kind: &str, text: &str) -> String {
    format!("-----BEGIN {kind}-----\n{text}\n-----END {kind}-----\n")
}

fn authority() -> String {
    pem("CERTIFICATE", AUTHORITY)
}

/// A server that answers one request over TLS, of anyone.
fn secure() -> String {
    serving(false)
}

/// The same; `knows`: of clients that its authority certified.
fn serving(knows: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/mcp", listener.local_addr().unwrap());
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(der(KEY)));
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(der(AUTHORITY))).unwrap();
    let clients = match knows {
        true => WebPkiClientVerifier::builder_with_provider(roots.into(), Arc::clone(&provider))
            .build()
            .unwrap(),
        false => WebPkiClientVerifier::no_client_auth(),
    };
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(clients)
        .with_single_cert(vec![CertificateDer::from(der(LEAF))], key)
        .unwrap();
    #[expect(clippy::disallowed_methods, reason = "it ends with its connection")]
    std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let connection = ServerConnection::new(Arc::new(config)).unwrap();
        let _ = serve(StreamOwned::new(connection, stream));
    });
    url
}

fn serve(mut stream: StreamOwned<ServerConnection, TcpStream>) -> std::io::Result<()> {
    let mut seen = Vec::new();
    // The body of a request is the last of it.
    while !seen.ends_with(b"}") {
        let mut piece = [0; 1024];
        let read = stream.read(&mut piece)?;
        seen.extend_from_slice(&piece[..read]);
        if read == 0 {
            return Ok(());
        }
    }
    stream.write_all(OK.as_bytes())?;
    stream.flush()?;
    // Until the client is gone.
    stream.read(&mut [0]).map(|_| ())
}

async fn asked(client: &HttpClient) -> Result<String, Failure> {
    let outcome = call(client, modern("tools/list", "{}")).await.1;
    outcome.map(|reply| reply.result.as_str().to_owned())
}

#[tokio::test]
async fn row_49_an_authority_of_ones_own_is_trusted_where_it_is_named() {
    let client = HttpClient::builder(&secure()).ca_certificates(authority());
    assert_eq!(asked(&client.build().unwrap()).await.unwrap(), "{}");
}

#[tokio::test]
async fn row_49_an_unknown_authority_is_named_as_the_problem() {
    let failure = asked(&HttpClient::new(&secure()).unwrap())
        .await
        .unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Unreachable);
    let cause = std::error::Error::source(&failure).unwrap();
    assert!(
        matches!(cause.downcast_ref(), Some(Unreachable::Tls(_))),
        "{cause:?}"
    );
    let told = failure.to_string();
    assert!(
        told.contains("certificate") && told.contains("UnknownIssuer"),
        "{told}"
    );
}

#[tokio::test]
async fn a_client_can_show_a_certificate() {
    let mine = pem("CERTIFICATE", CLIENT) + &pem("PRIVATE KEY", CLIENT_KEY);
    let client = |url: &str| HttpClient::builder(url).ca_certificates(authority());
    let shows = client(&serving(true)).client_certificate(mine);
    let shown = format!("{shows:?}");
    assert!(
        !shown.contains("PRIVATE") && !shown.contains("45, 45"),
        "{shown}"
    );
    assert_eq!(asked(&shows.build().unwrap()).await.unwrap(), "{}");
    let without = client(&serving(true)).build().unwrap();
    let failure = asked(&without).await.unwrap_err();
    // In TLS 1.3 the server says so after the client was done.
    assert!(matches!(
        failure.kind(),
        FailureKind::Lost | FailureKind::Unreachable
    ));
    for bad in [String::new(), authority(), pem("PRIVATE KEY", "!!")] {
        let failure = client("https://a.example/mcp")
            .client_certificate(bad)
            .build();
        let failure = failure.unwrap_err();
        assert_eq!(failure.kind(), FailureKind::Invalid);
        assert!(failure.to_string().contains("PEM"), "{failure}");
    }
}

#[test]
fn what_is_no_certificate_is_refused() {
    for pem in [
        "",
        "hello",
        "-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n",
    ] {
        let client = HttpClient::builder("https://a.example/mcp").ca_certificates(pem);
        let failure = client.build().unwrap_err();
        assert_eq!(failure.kind(), FailureKind::Invalid);
        assert!(failure.to_string().contains("PEM"), "{failure}");
    }
}

#[tokio::test]
async fn a_proxy_of_ones_own_gets_every_request_and_its_credentials() {
    let ok = json(200, r#"{"jsonrpc":"2.0","id":$ID,"result":{}}"#);
    let proxy = Server::start([ok]).await;
    let address = proxy.url.replacen("http://", "http://me:secret@", 1);
    let client = HttpClient::builder("http://a.example/mcp").proxy(&address);
    let shown = format!("{client:?}");
    assert!(!shown.contains("secret"), "{shown}");
    result(
        call(&client.build().unwrap(), modern("tools/list", "{}"))
            .await
            .1,
    );
    let seen = &proxy.requests()[0];
    assert_eq!(seen.line, "POST http://a.example/mcp HTTP/1.1");
    let credentials = format!("Basic {}", STANDARD.encode("me:secret"));
    assert_eq!(seen.header("proxy-authorization"), Some(&*credentials));
}

#[tokio::test]
async fn row_49_a_proxy_that_refuses_is_named_as_the_problem() {
    let refusal = "HTTP/1.1 407 No\r\ncontent-length: 0\r\n\r\n";
    let proxy = Server::start([refusal.to_owned()]).await;
    let client = HttpClient::builder("https://a.example/mcp").proxy(&proxy.url);
    let failure = asked(&client.build().unwrap()).await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Unreachable);
    assert!(failure.to_string().contains("proxy auth"), "{failure}");
    assert!(
        proxy.requests()[0]
            .line
            .starts_with("CONNECT a.example:443")
    );
}

#[test]
fn an_address_that_is_no_proxy_is_refused() {
    let client = HttpClient::builder("http://a.example/mcp").proxy("me:secret@@:x");
    let failure = client.build().unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Invalid);
    let told = failure.to_string();
    assert!(told.contains("proxy") && !told.contains("secret"), "{told}");
}
