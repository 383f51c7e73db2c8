//! Writing a value for a revision: what that revision does not know stays behind.

use serde::{Serialize, Serializer, ser::SerializeSeq as _};

use crate::{
    jsonrpc::{ProgressToken, RequestId},
    raw::{RawJson, RawObject},
    revision::Revision,
};

/// Can be written for any revision.
///
/// Plain `serde::Serialize` on the same type writes for [`Revision::LATEST`].
pub trait Encode {
    /// Writes what revision `at` knows of this value.
    ///
    /// # Errors
    /// Those of the serializer.
    fn encode<S: Serializer>(&self, at: Revision, serializer: S) -> Result<S::Ok, S::Error>;
}

/// A value with the revision it shall be written for.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "a pair by nature")]
pub struct At<'a, T: ?Sized>(pub &'a T, pub Revision);

impl<T: Encode + ?Sized> Serialize for At<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.encode(self.1, serializer)
    }
}

impl<T: Encode> Encode for Vec<T> {
    fn encode<S: Serializer>(&self, at: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        let mut items = serializer.serialize_seq(Some(self.len()))?;
        for item in self {
            items.serialize_element(&At(item, at))?;
        }
        items.end()
    }
}

impl<T: Encode> Encode for Box<T> {
    fn encode<S: Serializer>(&self, at: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).encode(at, serializer)
    }
}

macro_rules! same_in_every_revision {
    ($($ty:ty),* $(,)?) => { $(
        impl Encode for $ty {
            fn encode<S: Serializer>(&self, _: Revision, serializer: S) -> Result<S::Ok, S::Error> {
                self.serialize(serializer)
            }
        }
    )* };
}

same_in_every_revision!(
    bool,
    u64,
    i64,
    String,
    serde_json::Number,
    crate::jsonrpc::ErrorObject,
    ProgressToken,
    RawJson,
    RawObject,
    RequestId,
    Revision,
);
