//! `requestState`: what is known of a call, sealed for the way through its client.
//!
//! `mcps1.<key id>.<base64url(nonce ‖ ciphertext)>`, XChaCha20-Poly1305. The seal is bound to the method and
//! parameters of the request, to the principal and to the server, and it expires; whatever is wrong, the
//! answer is one and the same. Time and entropy are arguments.

mod canonical;
#[cfg(test)]
mod tests;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chacha20poly1305::{
    KeyInit as _, XChaCha20Poly1305, XNonce,
    aead::{Aead as _, Payload},
};
use mcp_types::{ErrorCode, ErrorObject, Method, RawJson, RawParams};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use self::canonical::canonical;
use super::rounds::Book;
use crate::input::{KeyRing, StateKey};

/// The most bytes of a sealed state (DESIGN section 10).
pub(crate) const MAX_BYTES: usize = 16 * 1024;
/// How many random bytes a seal takes.
pub(crate) const NONCE_BYTES: usize = 24;

const PREFIX: &str = "mcps1";

/// What a seal is bound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Binding(Vec<u8>);

impl Binding {
    /// Binds to a request: its method and parameters, on behalf of `principal`, to the server `audience`.
    ///
    /// Parameters are alike when they mean the same JSON: a client may write them anew for a retry.
    pub(crate) fn new(
        method: &Method,
        params: &RawParams,
        principal: Option<&str>,
        audience: &str,
    ) -> Self {
        let mut bound = Self(Vec::with_capacity(256));
        bound.add(Some(method.as_str()));
        bound.add(Some(&canonical(params)));
        bound.add(principal);
        bound.add(Some(audience));
        bound
    }

    /// Parts have their lengths, so that no two requests run together to the same bytes.
    fn add(&mut self, part: Option<&str>) {
        self.0.push(u8::from(part.is_some()));
        let part = part.unwrap_or_default();
        self.0.extend_from_slice(&(part.len() as u64).to_be_bytes());
        self.0.extend_from_slice(part.as_bytes());
    }

    fn for_key(&self, key: &StateKey) -> Vec<u8> {
        let mut bound = self.clone();
        bound.add(Some(PREFIX));
        bound.add(Some(key.id()));
        bound.0
    }
}

#[derive(Serialize)]
struct Writing<'a> {
    expires: u64,
    book: &'a Book,
}

#[derive(Deserialize)]
struct Reading {
    expires: u64,
    book: Book,
}

/// A state that cannot be sealed: it would be this large, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLarge(pub(crate) usize);

/// A state that is not one of ours, for this request, in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Invalid;

impl From<Invalid> for ErrorObject {
    /// The one answer, whatever is wrong.
    fn from(_: Invalid) -> Self {
        let mut error = Self::new(ErrorCode::INVALID_PARAMS, "Invalid or expired requestState");
        error.data = RawJson::parse(r#"{"reason":"invalid_request_state"}"#).ok();
        error
    }
}

/// Seals `book` until `expires`, in seconds since 1970.
///
/// # Errors
/// When the seal is larger than [`MAX_BYTES`].
pub(crate) fn seal(
    book: &Book,
    binding: &Binding,
    keys: &KeyRing,
    expires: u64,
    nonce: [u8; NONCE_BYTES],
) -> Result<String, TooLarge> {
    let key = keys.sealing();
    // Vocabulary always becomes JSON.
    let text = serde_json::to_vec(&Writing { expires, book }).unwrap_or_default();
    let text = Zeroizing::new(text);
    let payload = Payload {
        msg: &text,
        aad: &binding.for_key(key),
    };
    let cipher = XChaCha20Poly1305::new(key.bytes().into());
    // It fails on messages of 256 GiB.
    let sealed = cipher
        .encrypt(&XNonce::from(nonce), payload)
        .map_err(|_| TooLarge(text.len()))?;
    let sealed = URL_SAFE_NO_PAD.encode([&nonce[..], &sealed].concat());
    let state = format!("{PREFIX}.{}.{sealed}", key.id());
    match state.len() {
        size if size > MAX_BYTES => Err(TooLarge(size)),
        _ => Ok(state),
    }
}

/// Opens what [`seal`] sealed, at `now`, in seconds since 1970.
///
/// # Errors
/// [`Invalid`], which does not tell why.
pub(crate) fn open(
    state: &str,
    binding: &Binding,
    keys: &KeyRing,
    now: u64,
) -> Result<Book, Invalid> {
    if state.len() > MAX_BYTES {
        return Err(Invalid);
    }
    let mut parts = state.split('.');
    let (Some(PREFIX), Some(id), Some(sealed), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(Invalid);
    };
    let key = keys.find(id).ok_or(Invalid)?;
    let sealed = URL_SAFE_NO_PAD.decode(sealed).map_err(|_| Invalid)?;
    let (nonce, sealed) = sealed.split_first_chunk::<NONCE_BYTES>().ok_or(Invalid)?;
    let payload = Payload {
        msg: sealed,
        aad: &binding.for_key(key),
    };
    let cipher = XChaCha20Poly1305::new(key.bytes().into());
    let text = cipher
        .decrypt(&XNonce::from(*nonce), payload)
        .map_err(|_| Invalid)?;
    let text = Zeroizing::new(text);
    let read: Reading = serde_json::from_slice(&text).map_err(|_| Invalid)?;
    match read.expires > now {
        true => Ok(read.book),
        false => Err(Invalid),
    }
}
