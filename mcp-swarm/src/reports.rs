//! Reports of other projects' users, by their number, where they are tables. The data stays beside the repository.

use std::fs;
use std::path::Path;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use hmac::digest::KeyInit;
use hmac::{Hmac, Mac};
use mcp_transport::Clock;
use mcp_transport::clock::ManualClock;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use sha2::{Digest, Sha256, Sha512};

use crate::proto::states::{StateLimits, StateTable};
use crate::proto::token::{Entropy, Grant, KeyRing, Secret, Verified, VerifyPolicy, mint, verify};
use crate::proto::{return_trip, trace};

/// The row of that number; `None`, and a word about it, where the data is not there.
fn report(id: &str) -> Option<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/cases/reports.jsonl");
    let Ok(rows) = fs::read_to_string(&path) else {
        eprintln!("skipped {id}: there is no {}", path.display());
        return None;
    };
    let mut rows = rows
        .lines()
        .map(|row| serde_json::from_str::<Value>(row).unwrap());
    let row = rows.find(|row| row["id"] == id);
    Some(row.unwrap_or_else(|| panic!("{id} is not among the reports")))
}

/// One table of attempts on a token.
struct Attempts(Value);

impl Attempts {
    fn of(id: &str) -> Option<Self> {
        Some(Self(report(id)?["input"].take()))
    }

    fn secret(&self) -> Vec<u8> {
        unhex(self.0["secret_hex"].as_str().unwrap())
    }

    fn token(&self) -> String {
        let asked = &self.0["mint"];
        let state = RawValue::from_string(asked["state"].to_string()).unwrap();
        let grant = Grant::new(
            asked["iss"].as_str().unwrap(),
            asked["scope"].as_str().unwrap(),
        )
        .with_ttl(Duration::from_secs(asked["ttl_s"].as_u64().unwrap()))
        .with_state(state);
        let keys = Secret::new(self.secret()).unwrap().into();
        let now = self.0["now"].as_u64().unwrap();
        let minted = mint(grant, &keys, now, &Entropy::new([1; 16], [2; 16])).unwrap();
        minted.token.expose().to_owned()
    }

    /// The code of `token`, as the table writes it.
    fn verify(&self, secret: Vec<u8>, token: &str, now: i64) -> Option<&'static str> {
        let Ok(secret) = Secret::new(secret) else {
            return Some("config_error");
        };
        let policy =
            VerifyPolicy::new("finance").with_audience(self.0["audience"].as_str().unwrap());
        let now = u64::try_from(now).unwrap();
        match verify(token, &KeyRing::new(secret), &policy, now) {
            Ok(Verified::Complete(claims)) => {
                assert_eq!(
                    claims.state.unwrap().get(),
                    self.0["mint"]["state"].to_string()
                );
                None
            }
            Ok(Verified::Pending(_)) => panic!("the state is small"),
            Err(error) => Some(match error.code().as_str() {
                "INVALID_SIGNATURE" => "invalid_signature",
                "EXPIRED_DELEGATION_TOKEN" => "expired_token",
                "INVALID_DELEGATION_TOKEN" => "invalid_token",
                other => panic!("{other}"),
            }),
        }
    }

    fn check_all(&self, tampered: impl Fn(&Value, &str) -> Option<String>) {
        let good = self.token();
        let attempts = self.0["attempts"].as_array().unwrap();
        for attempt in attempts {
            let Some(token) = tampered(attempt, &good) else {
                continue;
            };
            let secret = attempt["secret_hex"]
                .as_str()
                .map_or_else(|| self.secret(), unhex);
            let later = attempt["at_plus_s"].as_i64().unwrap_or_default();
            let now = self.0["now"].as_i64().unwrap() + later;
            let code = self.verify(secret, &token, now);
            match attempt["code_in"].as_array() {
                Some(codes) => assert!(codes.contains(&json!(code)), "{attempt}: {code:?}"),
                None => assert_eq!(json!(code), attempt["code"], "{attempt}"),
            }
        }
    }
}

fn unhex(text: &str) -> Vec<u8> {
    let digits = text.as_bytes().chunks(2);
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.map(byte).collect()
}

fn flipped(text: &str, at: usize) -> String {
    let mut bytes = text.as_bytes().to_vec();
    bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
    String::from_utf8(bytes).unwrap()
}

#[test]
fn bl_279_a_changed_token_is_refused() {
    let Some(attempts) = Attempts::of("BL-279") else {
        return;
    };
    attempts.check_all(|attempt, good| {
        let (payload, signature) = good.split_once('.').unwrap();
        Some(match attempt["flip"].as_str() {
            Some("payload_first_byte") => flipped(good, 0),
            Some("payload_last_byte") => flipped(good, payload.len() - 1),
            Some("signature_first_byte") => flipped(good, payload.len() + 1),
            Some("signature_last_byte") => flipped(good, good.len() - 1),
            Some(other) => panic!("{other}"),
            None => match attempt["swap_payload"]["scope"].as_str() {
                Some(scope) => {
                    let claims =
                        String::from_utf8(URL_SAFE_NO_PAD.decode(payload).unwrap()).unwrap();
                    let swapped = claims.replace("finance", scope);
                    assert_ne!(swapped, claims);
                    format!("{}.{signature}", URL_SAFE_NO_PAD.encode(swapped))
                }
                None => good.to_owned(),
            },
        })
    });
}

#[test]
fn bl_282_clocks_may_differ_by_the_leeway() {
    if let Some(attempts) = Attempts::of("BL-282") {
        attempts.check_all(|_, good| Some(good.to_owned()));
    }
}

#[test]
fn bl_285_no_other_algorithm_or_kind_of_token_is_accepted() {
    let Some(attempts) = Attempts::of("BL-285") else {
        return;
    };
    let secret = attempts.secret();
    attempts.check_all(|attempt, good| {
        let (payload, signature) = good.split_once('.').unwrap();
        if let Some(header) = attempt["jwt"].get("header") {
            let signature = attempt["jwt"]["sig"].as_str().unwrap_or(signature);
            let header = URL_SAFE_NO_PAD.encode(header.to_string());
            return Some(format!("{header}.{payload}.{signature}"));
        }
        let mac = match attempt["mac"].as_str().unwrap() {
            "sha512" => {
                let mut mac = Hmac::<Sha512>::new_from_slice(&secret).unwrap();
                mac.update(payload.as_bytes());
                mac.finalize().into_bytes().to_vec()
            }
            "sha256_truncated_16" => URL_SAFE_NO_PAD.decode(signature).unwrap()[..16].to_vec(),
            "plain_sha256_of_secret_and_payload" => {
                let text = [&secret, payload.as_bytes()].concat();
                Sha256::digest(text).to_vec()
            }
            // The vector N11 has this one; there is no SHA-1 among the dependencies.
            "sha1" => return None,
            other => panic!("{other}"),
        };
        Some(format!("{payload}.{}", URL_SAFE_NO_PAD.encode(mac)))
    });
}

#[test]
fn bl_291_what_nobody_fetches_does_not_stay() {
    let Some(report) = report("BL-291") else {
        return;
    };
    let mut limits = StateLimits::default();
    let (entries, bytes) = (
        &report["input"]["limits"]["max_entries"],
        &report["input"]["limits"]["max_bytes"],
    );
    assert_eq!(
        (json!(limits.entries), json!(limits.bytes)),
        (entries.clone(), bytes.clone())
    );
    limits.state = limits.bytes;
    let mut table = StateTable::new(limits);
    let (mut now, mut next) = (ManualClock::new().now(), 0);
    for step in report["input"]["steps"].as_array().unwrap() {
        if let Some(seconds) = step["advance_s"].as_u64() {
            now += Duration::from_secs(seconds);
            continue;
        }
        let state = Bytes::from(vec![
            b' ';
            usize::try_from(step["bytes"].as_u64().unwrap())
                .unwrap()
        ]);
        let ttl = Duration::from_secs(step["ttl_s"].as_u64().unwrap());
        for _ in 0..step["put"].as_u64().unwrap() {
            next += 1;
            table
                .put(&next.to_string(), state.clone(), ttl, now)
                .unwrap();
        }
    }
    assert!(json!(table.len()).as_u64() <= report["expect"]["len_at_most"].as_u64());
}

#[test]
fn bl_306_a_summary_is_data() {
    let Some(report) = report("BL-306") else {
        return;
    };
    for step in report["input"]["steps"].as_array().unwrap() {
        let (summary, domain) = (
            step["format_safe_return"].as_str().unwrap(),
            step["domain"].as_str().unwrap(),
        );
        let text = return_trip::format_safe_return(summary, domain);
        let start = text.find('\n').unwrap() + 1;
        let opening = &text[start..start + text[start..].find('\n').unwrap()];
        assert_eq!(
            opening,
            r#"<upstream_report source="fin&quot;&lt;&amp;&#39;" trusted="false">"#
        );
        let rest = &text[start + opening.len() + 1..];
        let (body, _) = rest.split_once("\n</upstream_report>\n").unwrap();
        assert!(return_trip::clean_summary(summary).chars().count() <= 2000);
        assert!(!body.contains(['<', '>']), "{body}");
        for entity in body.split('&').skip(1) {
            let whole = ["amp;", "lt;", "gt;"]
                .iter()
                .any(|known| entity.starts_with(known));
            assert!(whole, "{body}");
        }
        let unseen = |c: char| {
            (c.is_control() && c != '\n' && c != '\t')
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{e0000}'..='\u{e007f}')
        };
        assert!(!body.contains(unseen), "{body:?}");
        assert!(!body.to_ascii_lowercase().contains("[system]"), "{body}");
        assert!(!body.contains("upstream_report>"), "{body}");
    }
}

#[test]
fn bl_309_a_broken_trace_is_replaced() {
    let Some(report) = report("BL-309") else {
        return;
    };
    let kept = report["expect"]["kept"].as_array().unwrap();
    for (at, step) in report["input"]["steps"]
        .as_array()
        .unwrap()
        .iter()
        .enumerate()
    {
        let inbound = step["traceparent"].as_str().unwrap();
        let next = trace::next_hop(Some(inbound), [7; 24]);
        assert!(trace::is_valid(&next), "{next}");
        assert_ne!(next, inbound);
        let same = inbound.get(..36) == next.get(..36);
        assert_eq!(same, kept.contains(&json!(at)), "{inbound}");
    }
}
