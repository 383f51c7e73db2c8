//! Names that are valid by construction.
//!
//! What a peer sends is read as text and kept, valid or not. These types are for what we make ourselves, and
//! for whoever wants to know: `ToolName::try_from(&*tool.name)`.

mod key;
mod rule;

use std::fmt;

pub use self::key::{ExtensionId, MetaKey};

/// A text that is no name of its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidName {
    /// Which kind of name it should be: `tool name`.
    pub kind: &'static str,
    /// The text, cut to 200 characters.
    pub text: Box<str>,
    /// Which rule it breaks.
    pub reason: &'static str,
}

impl InvalidName {
    fn new(kind: &'static str, text: &str, reason: &'static str) -> Self {
        let text: String = text.chars().take(200).collect();
        Self {
            kind,
            text: text.into(),
            reason,
        }
    }
}

impl fmt::Display for InvalidName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is no {}: {}", self.text, self.kind, self.reason)
    }
}

impl std::error::Error for InvalidName {}

macro_rules! names {
    ($($(#[$meta:meta])* $Name:ident = $kind:literal, $check:path;)*) => { $(
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $Name(Box<str>);

        impl $Name {
            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<&str> for $Name {
            type Error = $crate::name::InvalidName;

            fn try_from(text: &str) -> Result<Self, Self::Error> {
                match $check(text) {
                    Ok(()) => Ok(Self(text.into())),
                    Err(reason) => Err($crate::name::InvalidName::new($kind, text, reason)),
                }
            }
        }

        impl TryFrom<String> for $Name {
            type Error = $crate::name::InvalidName;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                Self::try_from(&*text)
            }
        }

        impl std::str::FromStr for $Name {
            type Err = $crate::name::InvalidName;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::try_from(text)
            }
        }

        impl From<$Name> for String {
            fn from(name: $Name) -> Self {
                name.0.into()
            }
        }

        impl AsRef<str> for $Name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl PartialEq<str> for $Name {
            fn eq(&self, text: &str) -> bool {
                &*self.0 == text
            }
        }

        impl std::fmt::Display for $Name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl serde::Serialize for $Name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> serde::Deserialize<'de> for $Name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                use serde::de::Error as _;
                let text = String::deserialize(deserializer)?;
                Self::try_from(text).map_err(D::Error::custom)
            }
        }
    )* };
}
use names;

names! {
    /// The name of a tool: 1 to 128 of the characters `A-Z a-z 0-9 _ - .`, as *Tools* of 2025-11-25 says.
    ToolName = "tool name", rule::tool;
    /// The name of a prompt: not empty, without control characters.
    PromptName = "prompt name", rule::visible;
    /// The address of a resource: a scheme, a colon and the rest, as in RFC 3986, without white space or control
    /// characters. Letters beyond ASCII pass, as many servers use them.
    ResourceUri = "resource URI", rule::uri;
    /// The address of resources with blanks, as in RFC 6570: every brace is closed and none stands in another.
    UriTemplate = "URI template", rule::template;
    /// The id of a task: 1 to 256 characters, without control characters.
    TaskId = "task id", rule::task_id;
    /// A place in a list. It is the server's own; only the empty one is none.
    Cursor = "cursor", rule::filled;
}

#[cfg(test)]
mod tests;
