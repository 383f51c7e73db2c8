//! Cursors: where a page of a list ended, in a text that only holders of the key can make.
//!
//! A cursor names the last item of its page, so that what is added or removed between two pages neither repeats an item
//! nor skips one, and any instance with the same key continues the list of any other. It says nothing about a
//! connection. One that was made with another key, or for another list, is refused.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use zeroize::Zeroizing;

/// The longest cursor that is looked at, in bytes: names may be long addresses.
const MOST_BYTES: usize = 16 * 1024;

/// How much of the authentication code a cursor carries.
const TAG: usize = 16;

/// What cursors are made and checked with.
#[derive(Clone)]
pub(crate) struct CursorKey(Zeroizing<Vec<u8>>);

/// Where a page ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// The number of its last item in the order of registration, for when that is gone.
    pub(crate) number: u64,
    /// The name of its last item.
    pub(crate) name: String,
}

impl CursorKey {
    pub(crate) fn new(key: impl Into<Vec<u8>>) -> Self {
        Self(Zeroizing::new(key.into()))
    }

    /// A key that is made of another, and tells nothing about it.
    pub(crate) fn derived(from: &[u8]) -> Self {
        let mac = Self::new(from).mac("", b"key");
        Self::new(mac.finalize().into_bytes().to_vec())
    }

    /// The cursor of the item `name` in the list `list`.
    pub(crate) fn seal(&self, list: &str, number: u64, name: &str) -> String {
        let mut bytes = Vec::with_capacity(TAG + 8 + name.len());
        bytes.extend_from_slice(&[0; TAG]);
        bytes.extend_from_slice(&number.to_be_bytes());
        bytes.extend_from_slice(name.as_bytes());
        let tag = self.mac(list, &bytes[TAG..]).finalize().into_bytes();
        bytes[..TAG].copy_from_slice(&tag[..TAG]);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The place that `cursor` names in the list `list`; `None` if this key did not make it for that list.
    pub(crate) fn open(&self, list: &str, cursor: &str) -> Option<Place> {
        if cursor.len() > MOST_BYTES {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (tag, place) = bytes.split_at_checked(TAG)?;
        // In constant time.
        self.mac(list, place).verify_truncated_left(tag).ok()?;
        let (number, name) = place.split_first_chunk()?;
        Some(Place {
            number: u64::from_be_bytes(*number),
            name: String::from_utf8(name.to_vec()).ok()?,
        })
    }

    fn mac(&self, list: &str, place: &[u8]) -> Hmac<Sha256> {
        #[expect(clippy::expect_used, reason = "HMAC takes keys of any length")]
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("a key of any length");
        mac.update(b"mcp-server/cursor/v1\0");
        mac.update(list.as_bytes());
        mac.update(b"\0");
        mac.update(place);
        mac
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_good_for_its_key_and_its_list_alone() {
        let (ours, other) = (CursorKey::new(*b"ours"), CursorKey::new(*b"other"));
        for name in ["", "echo", "file:///Załączniki/a b", &"x".repeat(9_000)] {
            let cursor = ours.seal("tools", 7, name);
            let place = Place {
                number: 7,
                name: name.into(),
            };
            assert_eq!(ours.open("tools", &cursor), Some(place));
            assert_eq!(ours.open("prompts", &cursor), None);
            assert_eq!(other.open("tools", &cursor), None);
        }
    }

    #[test]
    fn whatever_is_changed_in_a_cursor_is_noticed() {
        let key = CursorKey::new(*b"ours");
        let cursor = key.seal("tools", 7, "echo");
        assert!(
            cursor
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        );
        for at in 0..cursor.len() {
            let mut changed = cursor.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(key.open("tools", &changed), None, "{changed}");
            assert_eq!(key.open("tools", &cursor[..at]), None, "{at}");
        }
        for odd in [
            "",
            "2",
            "é",
            "====",
            &format!("{cursor}="),
            &format!("{cursor}A"),
            &"A".repeat(20_000),
        ] {
            assert_eq!(key.open("tools", odd), None);
        }
    }
}
