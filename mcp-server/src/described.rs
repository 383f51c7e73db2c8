//! What can be said of anything that a server lists, and who sees it.

use std::{fmt, sync::Arc};

use crate::call::Call;

/// Who sees something: everyone, or those of whom a closure says so.
#[derive(Clone, Default)]
pub(crate) struct Filter(Option<Arc<Visible>>);

type Visible = dyn Fn(&Call) -> bool + Send + Sync;

impl Filter {
    pub(crate) fn new(visible: impl Fn(&Call) -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(visible)))
    }

    /// Whether who made `call` sees it.
    pub(crate) fn shows(&self, call: &Call) -> bool {
        self.0.as_ref().is_none_or(|visible| visible(call))
    }

    /// Whether some may not see it.
    pub(crate) fn is_some(&self) -> bool {
        self.0.is_some()
    }
}

impl fmt::Debug for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_some() { "some" } else { "all" })
    }
}

/// The methods that say it, for a builder with a `definition` and a `filter`.
macro_rules! described {
    ($Builder:ident) => {
        impl $Builder {
            /// What it is for, for the model.
            #[must_use]
            pub fn description(mut self, text: impl Into<String>) -> Self {
                self.definition.description = Some(text.into());
                self
            }

            /// A name for people.
            #[must_use]
            pub fn title(mut self, text: impl Into<String>) -> Self {
                self.definition.title = Some(text.into());
                self
            }

            /// A picture that stands for it; call it once for each.
            #[must_use]
            pub fn icon(mut self, icon: mcp_types::icon::Icon) -> Self {
                self.definition.icons.get_or_insert_default().push(icon);
                self
            }

            /// A free member of its `_meta`; one that cannot be written as JSON is left out.
            #[must_use]
            pub fn meta<T: serde::Serialize + ?Sized>(
                mut self,
                key: impl Into<Box<str>>,
                value: &T,
            ) -> Self {
                if let Ok(value) = mcp_types::RawJson::from_serialize(value) {
                    self.definition.meta.get_or_insert_default().set(key, value);
                }
                self
            }

            /// Who sees it. For anyone else it does not exist: no list shows it, and what names it is answered as if
            /// nothing had that name. The closure is asked once for each list and each use, and must be quick; a caller
            /// is known by its headers, its session, or what a layer left in [`Call::ext`](crate::Call::ext).
            #[must_use]
            pub fn visible(
                mut self,
                visible: impl Fn(&crate::Call) -> bool + Send + Sync + 'static,
            ) -> Self {
                self.filter = crate::described::Filter::new(visible);
                self
            }
        }
    };
}

pub(crate) use described;
