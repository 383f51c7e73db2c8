//! What connects: TLS, proxies and content codings as reqwest has them.

use std::error::Error;

use ::http::HeaderValue;
use mcp_errors::{Failure, FailureKind};
use reqwest::{Certificate, ClientBuilder, Identity, NoProxy, Url};

use super::{head, redirect, tls};
use crate::proto::{http::shown_url, limits::Limits};

/// How connections are made.
#[derive(Clone, Default)]
pub(super) struct Connector {
    pub(super) proxy: Proxying,
    /// Certificates in PEM that are trusted beside those of the machine.
    pub(super) authorities: Option<Vec<u8>>,
    /// A certificate and its key in PEM, for servers that want to know who calls.
    pub(super) identity: Option<Vec<u8>>,
    pub(super) gzip: bool,
}

#[derive(Clone, Default)]
pub(super) enum Proxying {
    /// What the environment says, but never for a loopback address.
    #[default]
    Environment,
    None,
    /// This one for everything.
    Url(String),
}

impl Connector {
    /// What is said of content codings. Some proxies compress where nobody forbids it.
    pub(super) fn accept_encoding(&self) -> HeaderValue {
        match self.gzip {
            true => HeaderValue::from_static("gzip"),
            false => head::IDENTITY,
        }
    }

    /// The machine's TLS roots are only loaded where they may be needed, and only demanded for https: a container
    /// without any still reaches its neighbours.
    pub(super) fn build(&self, url: &Url, limits: &Limits) -> Result<reqwest::Client, Failure> {
        let invalid = |source: Box<dyn Error + Send + Sync>| {
            let detail = "the HTTP client cannot be set up; check the TLS roots of this machine";
            Failure::new(FailureKind::Invalid, detail).with_source(source)
        };
        let builder = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .tcp_nodelay(true)
            .connect_timeout(limits.connect_time)
            .pool_idle_timeout(limits.idle_time);
        let builder = self.proxied(decoding(builder, self.gzip), url)?;
        let needed = redirect::may_use_tls(url) || matches!(self.proxy, Proxying::Url(_));
        let builder = match (&self.authorities, &self.identity) {
            (Some(_), _) | (_, Some(_)) => self.own_tls(builder)?,
            (None, None) => match needed.then(tls::with_roots) {
                Some(Ok(tls)) => builder.tls_backend_preconfigured(tls.clone()),
                Some(Err(error)) if url.scheme() == "https" => return Err(invalid(error.into())),
                Some(Err(_)) | None => builder.tls_certs_only([]),
            },
        };
        builder.build().map_err(|error| invalid(error.into()))
    }

    fn own_tls(&self, mut builder: ClientBuilder) -> Result<ClientBuilder, Failure> {
        if let Some(pem) = &self.authorities {
            builder = builder.tls_certs_merge(read_certificates(pem)?);
        }
        if let Some(pem) = &self.identity {
            let identity = Identity::from_pem(pem).map_err(|error| {
                let detail =
                    "the client certificate cannot be read; give it with its private key in PEM";
                Failure::new(FailureKind::Invalid, detail).with_source(error.without_url())
            })?;
            builder = builder.identity(identity);
        }
        Ok(builder)
    }

    fn proxied(&self, builder: ClientBuilder, url: &Url) -> Result<ClientBuilder, Failure> {
        Ok(match &self.proxy {
            Proxying::Environment if redirect::is_loopback(url) => builder.no_proxy(),
            Proxying::Environment => builder,
            Proxying::None => builder.no_proxy(),
            Proxying::Url(proxy) => {
                let made = reqwest::Proxy::all(proxy.as_str()).map_err(|error| {
                    let detail = format!(
                        "the proxy {:?} cannot be used; write it like http://proxy.example:3128",
                        shown_url(proxy)
                    );
                    Failure::new(FailureKind::Invalid, detail).with_source(error.without_url())
                })?;
                // What the environment excepts holds for its own proxies.
                builder.no_proxy().proxy(made.no_proxy(None::<NoProxy>))
            }
        })
    }
}

/// Undoes gzip if it is on, and nothing else. A feature that another crate turns on in reqwest changes nothing here.
#[cfg_attr(
    not(feature = "compression"),
    expect(unused_variables, reason = "without the feature it is never on")
)]
fn decoding(builder: ClientBuilder, gzip: bool) -> ClientBuilder {
    let builder = builder.no_gzip().no_brotli().no_deflate().no_zstd();
    #[cfg(feature = "compression")]
    let builder = builder.gzip(gzip);
    builder
}

fn read_certificates(pem: &[u8]) -> Result<Vec<Certificate>, Failure> {
    let refused = || {
        let detail = "the CA certificates cannot be read; give one or more certificates in PEM";
        Failure::new(FailureKind::Invalid, detail)
    };
    let certificates = Certificate::from_pem_bundle(pem)
        .map_err(|error| refused().with_source(error.without_url()))?;
    match certificates.is_empty() {
        true => Err(refused()),
        false => Ok(certificates),
    }
}
