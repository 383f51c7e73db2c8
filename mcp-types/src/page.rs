//! Lists that come in pages.
//!
//! Source: the specification's page *Pagination*. A cursor is the server's own: nothing can be read from it,
//! and the empty one ends the list as well as none does.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error as _, MapAccess, Visitor},
};

use crate::{
    object::{Eager, Key, Members},
    prompt::Prompt,
    raw::{RawJson, RawObject},
    resource::{Resource, ResourceTemplate},
    roots::Root,
    task::Task,
    tool::Tool,
};

object! {
    /// Which page of a list.
    #[derive(Default)]
    pub struct PaginatedParams {
        /// Where the page before ended; none for the first.
        cursor: Option<String> = "cursor", optional;
        /// Free members about the request.
        meta: Option<RawObject> = "_meta", hint;
    }
}

/// What a list holds.
pub trait Listed: DeserializeOwned {
    /// The member of a result that the list stands in.
    const LIST: &'static str;
    /// The member that names an item.
    const NAME: &'static str;

    /// Reads an item in which nothing is wrong; a page in which that fails is read again, item by item.
    ///
    /// # Errors
    /// When the item has another shape, or a hint of it has.
    #[doc(hidden)]
    fn read_whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }
}

macro_rules! listed {
    ($($Item:ty = $list:literal by $name:literal;)*) => { $(
        impl Listed for $Item {
            const LIST: &'static str = $list;
            const NAME: &'static str = $name;

            fn read_whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Members::<Self, Eager>::read(deserializer)
            }
        }
    )* };
}

listed! {
    Tool = "tools" by "name";
    Prompt = "prompts" by "name";
    Resource = "resources" by "uri";
    ResourceTemplate = "resourceTemplates" by "uriTemplate";
    Root = "roots" by "uri";
    Task = "tasks" by "taskId";
}

/// A page, read item by item: a bad one is set aside, and the others arrive.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Page<T> {
    /// Those that could be read, in the server's order.
    pub items: Vec<T>,
    /// Those that could not.
    pub skipped: Vec<Skipped>,
    /// Where the next page starts; none on the last. An empty cursor is none.
    pub next_cursor: Option<String>,
    /// Every other member of the result, as it came.
    pub rest: RawObject,
}

/// An item that was set aside.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// Its place in the page, from 0.
    pub index: usize,
    /// Its name, if that much could be read.
    pub name: Option<String>,
    /// Where in the item, and what is wrong there.
    pub reason: String,
    /// The item, as it came.
    pub raw: RawJson,
}

impl<T: Listed> Page<T> {
    /// Reads a result of `T`'s list method. A list that is absent or `null` is empty.
    ///
    /// # Errors
    /// When `result` is no object, or the list no array.
    pub fn read(result: &RawJson) -> Result<Self, serde_json::Error> {
        // Mostly all are good, and then once over the text is enough.
        if let Ok(Whole(page)) = serde_json::from_str(result.as_str()) {
            return Ok(page);
        }
        let mut rest: RawObject = result.decode()?;
        let list = rest.remove(T::LIST);
        let list: Option<Vec<RawJson>> = list.as_ref().map_or(Ok(None), RawJson::decode)?;
        let mut page = Self {
            items: Vec::new(),
            skipped: Vec::new(),
            next_cursor: rest.remove("nextCursor").as_ref().and_then(cursor),
            rest,
        };
        for (index, raw) in list.into_iter().flatten().enumerate() {
            match raw.read() {
                Ok(item) => page.items.push(item),
                Err(error) => page.skipped.push(Skipped {
                    index,
                    name: raw
                        .decode::<RawObject>()
                        .ok()
                        .and_then(|item| item.decode(T::NAME)),
                    reason: error.to_string(),
                    raw,
                }),
            }
        }
        Ok(page)
    }
}

fn cursor(raw: &RawJson) -> Option<String> {
    raw.decode()
        .ok()
        .filter(|cursor: &String| !cursor.is_empty())
}

/// An item in which nothing is wrong.
struct Good<T>(T);

impl<'de, T: Listed> Deserialize<'de> for Good<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::read_whole(deserializer).map(Self)
    }
}

/// A page without a bad item.
struct Whole<T>(Page<T>);

impl<'de, T: Listed> Deserialize<'de> for Whole<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Parts<T>(PhantomData<T>);
        impl<'de, T: Listed> Visitor<'de> for Parts<T> {
            type Value = Whole<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a page")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Whole<T>, A::Error> {
                let (mut items, mut next, mut rest) = (None, None, RawObject::new());
                while let Some(name) = map.next_key::<Key<'de>>()? {
                    let twice = match &*name {
                        name if name == T::LIST => {
                            let list = map.next_value::<Option<Vec<Good<T>>>>()?;
                            items.replace(list).is_some()
                        }
                        "nextCursor" => next.replace(map.next_value()?).is_some(),
                        other => {
                            rest.push(other, map.next_value()?);
                            false
                        }
                    };
                    if twice {
                        return Err(A::Error::custom(format_args!(
                            "member `{name}` stands twice"
                        )));
                    }
                }
                rest.check::<A::Error>()?;
                let items: Vec<Good<T>> = items.flatten().unwrap_or_default();
                Ok(Whole(Page {
                    items: items.into_iter().map(|Good(item)| item).collect(),
                    skipped: Vec::new(),
                    next_cursor: next.as_ref().and_then(cursor),
                    rest,
                }))
            }
        }
        deserializer.deserialize_map(Parts(PhantomData))
    }
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "item {}", self.index)?;
        if let Some(name) = &self.name {
            write!(f, " ({name:?})")?;
        }
        write!(f, " was set aside: {}", self.reason)
    }
}

#[cfg(test)]
mod tests;
