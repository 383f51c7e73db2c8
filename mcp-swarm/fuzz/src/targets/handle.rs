//! Handles and targets: what a client names.

use std::sync::LazyLock;

use mcp_swarm::proto::{handoff::Handle, registry::Registry, target::resolve};

/// A handle is taken as it is spelled, or not at all.
pub(crate) fn handle(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data)
        && let Some(handle) = Handle::parse(text)
    {
        assert_eq!(handle.as_str(), text);
        assert!(text.len() == 26 && text.is_ascii(), "{text}");
    }
    if let Some(entropy) = data.first_chunk::<16>() {
        let handle = Handle::from_entropy(*entropy);
        assert!(Handle::parse(handle.as_str()) == Some(handle.clone()));
    }
}

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
    let mut registry = Registry::new();
    for name in ["finance", "support"] {
        registry.add_local(name).expect("a name");
    }
    registry.alias("support", "help").expect("an alias");
    registry
});

/// A target is a specialist, or an error fit to be shown.
pub(crate) fn destination(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    match resolve(&REGISTRY, text) {
        Ok(entry) => assert!(REGISTRY.iter().any(|known| known.name == entry.name)),
        Err(error) => {
            let shown = error.to_string();
            assert!(
                shown.len() < 4_000 && !shown.contains(char::is_control),
                "{shown:?}"
            );
        }
    }
}
