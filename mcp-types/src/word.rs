//! Open sets of words: known ones as variants, unknown ones kept.

macro_rules! words {
    (
        $(#[$meta:meta])*
        pub enum $Name:ident {
            $( $(#[$variant_meta:meta])* $Variant:ident = $word:literal, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $Name {
            $( $(#[$variant_meta])* $Variant, )*
            /// A word that this library does not know, kept as it came.
            Other(Box<str>),
        }

        impl $Name {
            /// The word on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $( Self::$Variant => $word, )*
                    Self::Other(word) => word,
                }
            }
        }

        impl From<&str> for $Name {
            fn from(word: &str) -> Self {
                match word {
                    $( $word => Self::$Variant, )*
                    other => Self::Other(other.into()),
                }
            }
        }

        impl std::fmt::Display for $Name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $Name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl $crate::encode::Encode for $Name {
            fn encode<S: serde::Serializer>(
                &self,
                _: $crate::Revision,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                serde::Serialize::serialize(self, serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $Name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = <$crate::object::Key<'de> as serde::Deserialize>::deserialize(deserializer)?;
                Ok(Self::from(&*word))
            }
        }
    };
}
