//! What each revision gets to see.

mod example;
mod extension;
mod golden;
mod maximal;
mod output;
mod random;
mod read;
mod row;
mod schema;
mod stamp;
mod valid;

use crate::specification::specification;
