//! The vectors V1–V4 and N1–N17, and what they leave open.

mod mint;
mod vector;
mod verify;

use std::time::Duration;

use serde_json::value::RawValue;

use super::*;

const S1: &str = "0123456789abcdef0123456789abcdef";
const S2: &str = "correct horse battery staple — 32+ bytes";

/// Ten seconds after the vectors were minted.
const NOW: u64 = 1_785_542_410;

fn secret(text: &str) -> Secret {
    Secret::new(text).unwrap()
}

fn ring(text: &str) -> KeyRing {
    secret(text).into()
}

fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).unwrap()
}

/// The vectors live until 2100.
fn policy(scope: &str) -> VerifyPolicy {
    VerifyPolicy::new(scope).with_max_ttl(Duration::from_secs(u64::MAX))
}

fn code(result: Result<Verified, HandoffAuthError>) -> Result<Claims, &'static str> {
    match result {
        Ok(Verified::Complete(claims)) => Ok(claims),
        Ok(Verified::Pending(_)) => Err("pending"),
        Err(error) => Err(error.code().as_str()),
    }
}
