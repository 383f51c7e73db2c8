//! What each revision gets to see.

mod example;
mod golden;
mod output;
mod read;
mod schema;
mod stamp;

use crate::specification::specification;
