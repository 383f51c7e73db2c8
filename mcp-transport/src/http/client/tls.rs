//! TLS as every client of this process speaks it.

use std::sync::{Arc, OnceLock};

use rustls::{ClientConfig, crypto::CryptoProvider};
use rustls_platform_verifier::BuilderVerifierExt as _;

/// TLS that trusts what this machine trusts, with the process's provider of cryptography if it has chosen one.
///
/// Reading the roots takes tens of milliseconds, so it is done once: clients share the configuration and what it keeps
/// to resume TLS sessions, but no connections. A failure is not kept.
pub(super) fn with_roots() -> Result<&'static ClientConfig, rustls::Error> {
    static SHARED: OnceLock<ClientConfig> = OnceLock::new();
    if let Some(shared) = SHARED.get() {
        return Ok(shared);
    }
    let provider = CryptoProvider::get_default().map_or_else(
        || Arc::new(rustls::crypto::aws_lc_rs::default_provider()),
        Arc::clone,
    );
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_platform_verifier()?
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(SHARED.get_or_init(|| config))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_roots_are_read_once() {
        assert!(std::ptr::eq(with_roots().unwrap(), with_roots().unwrap()));
    }
}
