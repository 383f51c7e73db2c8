//! The strict lexer beside its oracle.

use mcp_types::strict;

use super::oracle::oracle;

/// How deep the target allows.
const DEPTH: usize = 8;

/// The lexer and the oracle agree, and a flaw has a place.
pub(crate) fn strict(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let judged = strict::check(text, DEPTH);
    assert_eq!(judged.is_ok(), oracle(text, DEPTH), "{judged:?}");
    match judged {
        Err(flaw) => {
            assert!(
                flaw.offset <= text.len() && flaw.path.as_str().starts_with('$'),
                "{flaw:?}"
            );
        }
        Ok(()) => {
            let object = text.trim_start().starts_with('{');
            assert_eq!(strict::check_object(text, DEPTH).is_ok(), object);
        }
    }
}
