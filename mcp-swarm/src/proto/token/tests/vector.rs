//! Each vector of the delegation token by its row's name.

use bytes::Bytes;

use super::*;

const V1_CLAIMS: &str = r#"{"iss":"triage","sub":"finance","iat":1785542400,"exp":4102444800,"tid":"00000000-0000-4000-8000-000000000001"}"#;
const V1: &str = "eyJpc3MiOiJ0cmlhZ2UiLCJzdWIiOiJmaW5hbmNlIiwiaWF0IjoxNzg1NTQyNDAwLCJleHAiOjQxMDI0NDQ4MDAsInRpZCI6IjAwMDAwMDAwLTAwMDAtNDAwMC04MDAwLTAwMDAwMDAwMDAwMSJ9.nSDzdX8wgKCgju_c4ABsvfXq4RC42ourJtd3bs4li84";
const V2_CLAIMS: &str = r#"{"iss":"triage","sub":"support","iat":1785542400,"exp":4102444800,"tid":"00000000-0000-4000-8000-000000000002","traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01","state":{"intent":"請求書 #42 の返金","priority":2,"tags":["vip","<b>"]}}"#;
const V2: &str = "eyJpc3MiOiJ0cmlhZ2UiLCJzdWIiOiJzdXBwb3J0IiwiaWF0IjoxNzg1NTQyNDAwLCJleHAiOjQxMDI0NDQ4MDAsInRpZCI6IjAwMDAwMDAwLTAwMDAtNDAwMC04MDAwLTAwMDAwMDAwMDAwMiIsInRyYWNlcGFyZW50IjoiMDAtNGJmOTJmMzU3N2IzNGRhNmEzY2U5MjlkMGUwZTQ3MzYtMDBmMDY3YWEwYmE5MDJiNy0wMSIsInN0YXRlIjp7ImludGVudCI6Iuiri-axguabuCAjNDIg44Gu6L-U6YeRIiwicHJpb3JpdHkiOjIsInRhZ3MiOlsidmlwIiwiPGI-Il19fQ.X4--_Bg8cbGpJLYwnlXyoyK5ut6Pf-Jvpq1HXcvp9oE";
const V3_CLAIMS: &str = r#"{"iss":"mcpfusion-gateway","sub":"data","iat":1785542400,"exp":4102444800,"tid":"00000000-0000-4000-8000-000000000003","state_id":"00000000-0000-4000-8000-0000000000aa"}"#;
const V3: &str = "eyJpc3MiOiJtY3BmdXNpb24tZ2F0ZXdheSIsInN1YiI6ImRhdGEiLCJpYXQiOjE3ODU1NDI0MDAsImV4cCI6NDEwMjQ0NDgwMCwidGlkIjoiMDAwMDAwMDAtMDAwMC00MDAwLTgwMDAtMDAwMDAwMDAwMDAzIiwic3RhdGVfaWQiOiIwMDAwMDAwMC0wMDAwLTQwMDAtODAwMC0wMDAwMDAwMDAwYWEifQ.C8Pfuppld0fYZzefUv227d7bMgCJUWEIV0JRJf8A1Kw";
const V4_CLAIMS: &str = r#"{"iss":"triage","sub":"finance","iat":1785542400,"exp":4102444800,"tid":"00000000-0000-4000-8000-000000000004","ver":1,"kid":"k2","aud":"https://finance-agent:8081/mcp","jti":"b2Zvb2JhcmJhemJpbg","hid":"hnd_7Qy2","depth":2,"act":{"sub":"user:alice"},"state":{}}"#;
const V4: &str = "eyJpc3MiOiJ0cmlhZ2UiLCJzdWIiOiJmaW5hbmNlIiwiaWF0IjoxNzg1NTQyNDAwLCJleHAiOjQxMDI0NDQ4MDAsInRpZCI6IjAwMDAwMDAwLTAwMDAtNDAwMC04MDAwLTAwMDAwMDAwMDAwNCIsInZlciI6MSwia2lkIjoiazIiLCJhdWQiOiJodHRwczovL2ZpbmFuY2UtYWdlbnQ6ODA4MS9tY3AiLCJqdGkiOiJiMlp2YjJKaGNtSmhlbUpwYmciLCJoaWQiOiJobmRfN1F5MiIsImRlcHRoIjoyLCJhY3QiOnsic3ViIjoidXNlcjphbGljZSJ9LCJzdGF0ZSI6e319.f8SWMvCSStGEu3PVCUF2x5N0OVAM95hZIUABdnEiK3s";
const N5: &str = "eyJpc3MiOiJ0cmlhZ2UiLCJzdWIiOiJmaW5hbmNlIiwiaWF0IjoxNzg1NTQyNDAwLCJleHAiOjE3ODU1NDI0NjAsInRpZCI6IjAwMDAwMDAwLTAwMDAtNDAwMC04MDAwLTAwMDAwMDAwMDAwMSJ9.nNe1Lqd4J6j_CJQ5X77dAVLenoZUD_FPQK75WKnyywA";
const N8: &str = "bm90IGpzb24.9RwBI9PEu_stD8PlGT6AP8EbV6TCM7S511UvQiYd3wA";
const N9: &str = "eyJpc3MiOiJ0cmlhZ2UiLCJzdWIiOiJmaW5hbmNlIiwiaWF0IjoxNzg1NTQyNDAwLCJ0aWQiOiIwMDAwMDAwMC0wMDAwLTQwMDAtODAwMC0wMDAwMDAwMDAwMDEifQ.Se9dUFfP_hGTEmF3ZdNfJyN-kmZLQGkBG_yyoPQQS5I";
const N10: &str = "W10.VZVvtJIWh5Z9CkSw5fIkWl9GuIdFnKXrDFHgL8zdqcc";
const N14: &str = "eyJpc3MiOiJ0cmlhZ2UiLCJzdWIiOiJmaW5hbmNlIiwiaWF0IjoxNzg1NTQyNDAwLCJleHAiOiI0MTAyNDQ0ODAwIiwidGlkIjoiMDAwMDAwMDAtMDAwMC00MDAwLTgwMDAtMDAwMDAwMDAwMDAxIn0.aAfggJtEtTyZ6ZWMPxTKRZSGi_zcVwW1GUk1pIXEBFo";
const N15: &str = "eyJpc3MiOiJ0cmlhZ2UiLCJzdWIiOiJmaW5hbmNlIiwiaWF0Ijo0MTAyNDQ0MDAwLCJleHAiOjQxMDI0NDQ4MDAsInRpZCI6IjAwMDAwMDAwLTAwMDAtNDAwMC04MDAwLTAwMDAwMDAwMDAwMSJ9.2AZCWTcaolvei9vo1fX0Be6mkh3KmYRvyxH-sY5Cv6I";

/// V1's payload and signature.
fn p1_g1() -> (&'static str, &'static str) {
    V1.rsplit_once('.').unwrap()
}

fn minted(claims: &str, secret: &str, expected: &str) {
    assert_eq!(
        Claims::parse(claims)
            .unwrap()
            .sign(&ring(secret))
            .unwrap()
            .expose(),
        expected
    );
}

fn accepted(token: &str, secret: &str, scope: &str) -> Claims {
    code(verify(token, &ring(secret), &policy(scope), NOW)).unwrap()
}

fn refused(token: &str, expected: &str) {
    let result = code(verify(token, &ring(S1), &policy("finance"), NOW));
    assert_eq!(result.map(|claims| claims.tid), Err(expected), "{token}");
}

#[test]
fn v1() {
    minted(V1_CLAIMS, S1, V1);
    let claims = accepted(V1, S1, "finance");
    assert_eq!(
        (claims.issuer.as_str(), claims.scope.as_str()),
        ("triage", "finance")
    );
    assert_eq!(
        (claims.issued_at, claims.expires_at),
        (1_785_542_400, 4_102_444_800)
    );
    assert_eq!(claims.tid, "00000000-0000-4000-8000-000000000001");
    assert!(
        claims.traceparent.is_none()
            && claims.state.is_none()
            && claims.state_id.is_none()
            && claims.other.is_empty()
    );
}

#[test]
fn v2() {
    minted(V2_CLAIMS, S2, V2);
    let claims = accepted(V2, S2, "support");
    assert_eq!(
        claims.traceparent.as_deref(),
        Some("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
    );
    assert_eq!(
        claims.state.unwrap().get(),
        r##"{"intent":"請求書 #42 の返金","priority":2,"tags":["vip","<b>"]}"##
    );
}

fn v3() -> PendingState {
    match verify(V3, &ring(S1), &policy("data"), NOW) {
        Ok(Verified::Pending(pending)) => pending,
        other => panic!("{other:?}"),
    }
}

#[test]
fn v3_first_time() {
    minted(V3_CLAIMS, S1, V3);
    assert_eq!(v3().state_id(), "00000000-0000-4000-8000-0000000000aa");
    let claims = v3()
        .resume(Taken::Found(Bytes::from_static(br#"{"rows":[1,2,3]}"#)))
        .unwrap();
    assert_eq!(claims.state.unwrap().get(), r#"{"rows":[1,2,3]}"#);
    assert_eq!(claims.state_id, None);
}

#[test]
fn v3_second_time() {
    assert_eq!(
        v3().resume(Taken::Gone).unwrap_err().code().as_str(),
        "EXPIRED_DELEGATION_TOKEN"
    );
}

#[test]
fn v4() {
    minted(V4_CLAIMS, S1, V4);
    let claims = accepted(V4, S1, "finance");
    assert_eq!(
        claims.audience().as_deref(),
        Some("https://finance-agent:8081/mcp")
    );
    assert_eq!(claims.state.unwrap().get(), "{}");
    let other: Vec<_> = claims
        .other
        .iter()
        .map(|(name, value)| (name.as_str(), value.get()))
        .collect();
    assert_eq!(other[6], ("act", r#"{"sub":"user:alice"}"#));
    assert_eq!(other.len(), 7);
}

#[test]
fn n1() {
    refused(
        &format!("{}.nSDzdX8wgKCgju_c4ABsvfXq4RC42ourJtd3bs4li85", p1_g1().0),
        "INVALID_SIGNATURE",
    );
}

#[test]
fn n2() {
    refused(
        &format!("{}.ASDzdX8wgKCgju_c4ABsvfXq4RC42ourJtd3bs4li84", p1_g1().0),
        "INVALID_SIGNATURE",
    );
}

#[test]
fn n3() {
    refused(
        &format!("{}.{}", V2.rsplit_once('.').unwrap().0, p1_g1().1),
        "INVALID_SIGNATURE",
    );
}

#[test]
fn n4() {
    let result = code(verify(
        V1,
        &ring("fedcba9876543210fedcba9876543210"),
        &policy("finance"),
        NOW,
    ));
    assert_eq!(result.unwrap_err(), "INVALID_SIGNATURE");
}

#[test]
fn n5() {
    let at =
        |now| code(verify(N5, &ring(S1), &policy("finance"), now)).map(|claims| claims.expires_at);
    assert_eq!(at(1_785_542_470), Err("EXPIRED_DELEGATION_TOKEN"));
    // Five seconds of leeway, the last of them included.
    assert_eq!(at(1_785_542_466), Err("EXPIRED_DELEGATION_TOKEN"));
    assert_eq!(at(1_785_542_465), Ok(1_785_542_460));
}

#[test]
fn n6() {
    for token in [p1_g1().0, "", "abc"] {
        refused(token, "INVALID_DELEGATION_TOKEN");
    }
}

#[test]
fn n7() {
    for token in [&format!("{}.", p1_g1().0), ".", "a.b.c"] {
        refused(token, "INVALID_SIGNATURE");
    }
}

#[test]
fn n8() {
    refused(N8, "INVALID_DELEGATION_TOKEN");
}

#[test]
fn n9() {
    refused(N9, "INVALID_DELEGATION_TOKEN");
}

#[test]
fn n10() {
    refused(N10, "INVALID_DELEGATION_TOKEN");
}

#[test]
fn n11() {
    refused(
        &format!("{}.aZHMIqp57PeM-w4dyhCOafWMq9U", p1_g1().0),
        "INVALID_SIGNATURE",
    );
}

#[test]
fn n12() {
    refused(&format!("{V1}="), "INVALID_SIGNATURE");
    refused(
        &format!("{}.nSDzdX8wgKCgju/c4ABsvfXq4RC42ourJtd3bs4li84=", p1_g1().0),
        "INVALID_SIGNATURE",
    );
}

#[test]
fn n13() {
    for token in [format!(" {V1}"), format!("{V1} "), format!(" {V1} ")] {
        refused(&token, "INVALID_SIGNATURE");
    }
}

#[test]
fn n14() {
    refused(N14, "INVALID_DELEGATION_TOKEN");
}

#[test]
fn n15() {
    refused(N15, "INVALID_DELEGATION_TOKEN");
}

#[test]
fn n16() {
    assert_eq!(
        v3().resume(Taken::NoStore).unwrap_err().code().as_str(),
        "INVALID_DELEGATION_TOKEN"
    );
    assert_eq!(
        v3().resume(Taken::Gone).unwrap_err().code().as_str(),
        "EXPIRED_DELEGATION_TOKEN"
    );
}

#[test]
fn n17() {
    let result = code(verify(V1, &ring(S1), &policy("support"), NOW));
    assert_eq!(result.unwrap_err(), "INVALID_DELEGATION_TOKEN");
}
