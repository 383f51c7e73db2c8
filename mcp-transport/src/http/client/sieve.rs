//! What an error quotes of an answer: its beginning, without what the request was authorized with.
//!
//! Error pages of frameworks repeat the request, token and all, and servers name the session that they do not know.

use ::http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::proto::headers::MCP_SESSION_ID;

/// What stands for a secret.
const MASK: &[u8] = b"***";
/// Shorter texts are found everywhere, and hide nothing.
const SHORTEST: usize = 4;
/// So many characters of an answer go into a message.
const WORDS: usize = 200;

/// `text` with a mask for each secret among the headers that the request was `sent` with.
pub(super) fn sieve(text: &[u8], sent: &HeaderMap) -> Vec<u8> {
    let mut text = text.to_vec();
    for (name, value) in sent.iter().filter(|(name, value)| is_secret(name, value)) {
        for secret in parts(name, value.as_bytes()) {
            if secret.len() >= SHORTEST {
                mask(&mut text, secret);
            }
        }
    }
    text
}

/// The beginning of a text as a message quotes it.
pub(super) fn quote(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let text: String = text
        .chars()
        .filter(|char| !char.is_control())
        .take(WORDS)
        .collect();
    format!("{text:?}")
}

fn is_secret(name: &HeaderName, value: &HeaderValue) -> bool {
    let known = [
        header::AUTHORIZATION,
        header::PROXY_AUTHORIZATION,
        header::COOKIE,
        MCP_SESSION_ID,
    ];
    value.is_sensitive() || known.contains(name)
}

/// What of a value is secret by itself: all of it, credentials without their scheme, each cookie's value.
fn parts<'a>(name: &HeaderName, value: &'a [u8]) -> Vec<&'a [u8]> {
    let mut parts = vec![value];
    if *name == header::COOKIE {
        let cookies = value.split(|byte| *byte == b';');
        parts.extend(cookies.filter_map(|cookie| {
            let at = cookie.iter().position(|byte| *byte == b'=')?;
            Some(cookie[at + 1..].trim_ascii())
        }));
    } else if let Some(at) = value.iter().position(|byte| *byte == b' ') {
        parts.push(value[at..].trim_ascii());
    }
    parts
}

fn mask(text: &mut Vec<u8>, secret: &[u8]) {
    let mut from = 0;
    while let Some(at) = find(&text[from..], secret) {
        let at = from + at;
        text.splice(at..at + secret.len(), MASK.iter().copied());
        from = at + MASK.len();
    }
    // The text may have been cut in the middle of one.
    let longest = (SHORTEST..secret.len()).rev();
    let cut = longest
        .filter(|length| text.len() >= *length)
        .find(|length| text.ends_with(&secret[..*length]));
    if let Some(length) = cut {
        text.truncate(text.len() - length);
        text.extend_from_slice(MASK);
    }
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: HeaderName, value: &'static str, text: &str, expected: &str) {
        let sent = HeaderMap::from_iter([(name, HeaderValue::from_static(value))]);
        let sieved = String::from_utf8(sieve(text.as_bytes(), &sent)).unwrap();
        assert_eq!(sieved, expected);
    }

    #[test]
    fn what_authorized_the_request_is_masked() {
        let token = "Bearer abcdef";
        check(header::AUTHORIZATION, token, "a Bearer abcdef b", "a *** b");
        check(header::AUTHORIZATION, token, "abcdefabcdef", "******");
        check(header::AUTHORIZATION, token, "Bearer x", "Bearer x");
        check(header::COOKIE, "a=1; sid=abcdef", "<abcdef>", "<***>");
        check(MCP_SESSION_ID, "s-1234", "no s-1234 here", "no *** here");
        check(header::USER_AGENT, "abcdef", "abcdef", "abcdef");
        // What is this short would mask half of any text.
        check(
            header::AUTHORIZATION,
            "Bearer e",
            "the letter e",
            "the letter e",
        );
    }

    #[test]
    fn a_secret_that_is_cut_off_is_masked_too() {
        let token = "Bearer abcdefgh";
        check(header::AUTHORIZATION, token, "a abcdefg", "a ***");
        check(header::AUTHORIZATION, token, "a Bearer ab", "a ***");
        check(header::AUTHORIZATION, token, "a abc", "a abc");
    }

    #[test]
    fn a_caller_can_mark_any_header_as_secret() {
        let mut value = HeaderValue::from_static("key-1234");
        value.set_sensitive(true);
        let sent = HeaderMap::from_iter([(HeaderName::from_static("x-key"), value)]);
        assert_eq!(sieve(b"key-1234", &sent), MASK);
    }

    #[test]
    fn a_quote_is_short_and_tame() {
        assert_eq!(quote(b"a\x1b[1m\0b\xff"), "\"a[1mb\u{fffd}\"");
        assert_eq!(quote(&[b'x'; 500]).len(), WORDS + 2);
    }
}
