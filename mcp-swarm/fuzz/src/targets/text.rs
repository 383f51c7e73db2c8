//! Text of strangers: what is cleaned is clean.

use mcp_swarm::proto::{sanitize, trace};

/// Cleaning, cutting, escaping, and the next hop of a trace.
pub(crate) fn text(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let cleaned = sanitize::clean(&text);
    assert_eq!(sanitize::clean(&cleaned), cleaned, "{text:?}");
    for max in [0, 1, 7, 64] {
        assert!(sanitize::cut(&text, max).chars().count() <= max);
        let excerpt = sanitize::excerpt(&text, max);
        assert!(excerpt.chars().count() <= max && !excerpt.contains(char::is_control));
    }
    let escaped = sanitize::escape_attribute(&text);
    assert!(!escaped.contains(['<', '>', '"', '\'']));
    assert!(trace::is_valid(&trace::next_hop(Some(&text), [7; 24])));
}
