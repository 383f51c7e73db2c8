//! One JSON value, kept as text.

use std::{cell::Cell, fmt};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{
        DeserializeOwned, IntoDeserializer,
        value::{MapDeserializer, StringDeserializer},
    },
};
use serde_json::value::RawValue;

use super::DecodeError;

/// The name that serde_json's own deserializers know a raw value by. Whoever uses it can do without.
pub(crate) const RAW_VALUE: &str = "$serde_json::private::RawValue";

/// One JSON value, kept as the text that it was.
///
/// It is well-formed JSON, and no more: depth, lone surrogates, huge numbers and repeated members
/// are judged where the value is decoded.
#[derive(Clone)]
pub struct RawJson(Box<RawValue>);

impl RawJson {
    /// Takes a JSON text.
    ///
    /// # Errors
    /// When `text` is not one JSON value.
    pub fn parse(text: impl Into<String>) -> Result<Self, serde_json::Error> {
        RawValue::from_string(text.into()).map(Self)
    }

    /// Writes `value` as JSON.
    ///
    /// # Errors
    /// When `value` cannot be written as JSON, for example a map with keys that are no strings.
    pub fn from_serialize<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::value::to_raw_value(value).map(Self)
    }

    /// Takes what a [`Lexer`](crate::strict::lexer::Lexer) found to be one JSON value, without reading it again.
    ///
    /// serde_json offers no such way, but reads a raw value from any deserializer that names it as its own does. Should
    /// it ever choose another name, the text is read again.
    ///
    /// # Errors
    /// When `text` is not one JSON value.
    pub(crate) fn found(text: &str) -> Result<Self, serde_json::Error> {
        let member = std::iter::once((RAW_VALUE, text));
        let named = MapDeserializer::<_, serde_json::Error>::new(member);
        Box::<RawValue>::deserialize(named)
            .map(Self)
            .or_else(|_| Self::parse(text))
    }

    /// Takes a text that was put together from JSON, without copying it or reading it again: a list may be long.
    /// As [`Self::found`] does it, for a text of one's own.
    pub(crate) fn written(text: String) -> Self {
        struct Taken<'a>(&'a Cell<String>);
        impl<'de> IntoDeserializer<'de, serde_json::Error> for Taken<'_> {
            type Deserializer = StringDeserializer<serde_json::Error>;

            fn into_deserializer(self) -> Self::Deserializer {
                self.0.take().into_deserializer()
            }
        }
        let text = Cell::new(text);
        let member = std::iter::once((RAW_VALUE, Taken(&text)));
        let named = MapDeserializer::<_, serde_json::Error>::new(member);
        Box::<RawValue>::deserialize(named)
            .map(Self)
            .or_else(|_| Self::parse(text.take()))
            .unwrap_or_else(|_| Self::null())
    }

    /// The value `null`.
    pub fn null() -> Self {
        Self(RawValue::NULL.to_owned())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// Reads the value as a `T`.
    ///
    /// # Errors
    /// When the value has another shape.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.as_str())
    }

    /// Reads the value as a `T`, and says where it is none.
    ///
    /// # Errors
    /// When the value has another shape.
    ///
    /// ```
    /// use mcp_types::{RawJson, tool::ListToolsResult};
    ///
    /// let page = RawJson::parse(r#"{"tools":[{"name":"a","inputSchema":{}},{"name":7}]}"#)?;
    /// let error = page.read::<ListToolsResult>().unwrap_err();
    /// assert_eq!(error.path.as_str(), "$.tools[1].name");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, DecodeError> {
        self.decode()
            .map_err(|error| DecodeError::new(self.as_str(), &error))
    }

    /// The member `type` of this object.
    pub(crate) fn tag(&self) -> Result<Box<str>, serde_json::Error> {
        #[derive(Deserialize)]
        struct Tag {
            r#type: Box<str>,
        }
        self.decode().map(|Tag { r#type }| r#type)
    }

    /// Whether this is a JSON object.
    pub fn is_object(&self) -> bool {
        self.as_str().starts_with('{')
    }
}

impl From<Box<RawValue>> for RawJson {
    fn from(value: Box<RawValue>) -> Self {
        Self(value)
    }
}

impl From<&RawValue> for RawJson {
    fn from(value: &RawValue) -> Self {
        Self(value.to_owned())
    }
}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Two values are equal when their texts are.
impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for RawJson {}

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RawJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self)
    }
}
