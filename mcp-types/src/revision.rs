//! The six protocol revisions, and the two eras they fall into.
//!
//! Source: the specification's versioning page. A revision is a date, written `YYYY-MM-DD`.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// A revision of the protocol that this library speaks, oldest first.
///
/// The order is the order of time, so `revision >= Revision::V2025_06_18` reads as it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Revision {
    /// `2024-10-07`
    V2024_10_07,
    /// `2024-11-05`
    V2024_11_05,
    /// `2025-03-26`
    V2025_03_26,
    /// `2025-06-18`
    V2025_06_18,
    /// `2025-11-25`
    V2025_11_25,
    /// `2026-07-28`
    V2026_07_28,
}

impl Revision {
    /// All revisions, oldest first.
    pub const ALL: [Self; 6] = [
        Self::V2024_10_07,
        Self::V2024_11_05,
        Self::V2025_03_26,
        Self::V2025_06_18,
        Self::V2025_11_25,
        Self::V2026_07_28,
    ];

    /// The newest revision, in whose words the domain model is written.
    pub const LATEST: Self = Self::V2026_07_28;

    /// The newest revision that `initialize` can negotiate.
    pub const LATEST_LEGACY: Self = Self::V2025_11_25;

    /// The date as it stands on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_10_07 => "2024-10-07",
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// How a connection of this revision is opened.
    pub const fn era(self) -> Era {
        match self {
            Self::V2026_07_28 => Era::Modern,
            _ => Era::Legacy,
        }
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Revision {
    type Err = UnknownRevision;

    fn from_str(text: &str) -> Result<Self, UnknownRevision> {
        Self::ALL
            .into_iter()
            .find(|revision| revision.as_str() == text)
            .ok_or_else(|| UnknownRevision(text.into()))
    }
}

impl Serialize for Revision {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Revision {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(D::Error::custom)
    }
}

/// How a peer is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Era {
    /// 2024-10-07 to 2025-11-25: a connection is opened by `initialize` and carries state.
    Legacy,
    /// 2026-07-28 and later: every request says in `_meta` all that the server needs to know.
    Modern,
}

impl fmt::Display for Era {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Legacy => "legacy",
            Self::Modern => "modern",
        })
    }
}

/// A protocol version that this library does not know; it holds the text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownRevision(Box<str>);

impl UnknownRevision {
    /// The version as the peer wrote it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for UnknownRevision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "unknown protocol version `{}`; known are {} to {}",
            self.0,
            Revision::ALL[0],
            Revision::LATEST
        )
    }
}

impl std::error::Error for UnknownRevision {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_revision_reads_back_and_they_are_in_order() {
        for revision in Revision::ALL {
            assert_eq!(revision.as_str().parse(), Ok(revision));
        }
        assert!(Revision::ALL.is_sorted());
        assert!("2099-01-01".parse::<Revision>().is_err());
    }

    #[test]
    fn only_the_newest_is_modern() {
        let modern: Vec<_> = Revision::ALL
            .into_iter()
            .filter(|revision| revision.era() == Era::Modern)
            .collect();
        assert_eq!(modern, [Revision::V2026_07_28]);
    }
}
