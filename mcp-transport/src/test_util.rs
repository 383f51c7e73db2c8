//! Peers and networks for tests, of this crate's users too: a script that answers as it was told, and faults that come
//! as a seed says.
//!
//! | to | take |
//! |---|---|
//! | play the other side, step by step | [`Script`] |
//! | break a connection to an endpoint | [`FaultyEndpoint`] |
//! | break a byte stream | `FaultyStream` (with any driver's feature) |
//! | break TCP connections between a client and a server | `FaultyProxy` (`client-http` or `server-http`) |
//! | move time by hand | [`ManualClock`](crate::clock::ManualClock) |

mod faults;
mod script;

#[cfg(any(feature = "client-http", feature = "server-http"))]
pub use faults::FaultyProxy;
#[cfg(any(
    feature = "client-http",
    feature = "client-stdio",
    feature = "server-http",
    feature = "server-stdio"
))]
pub use faults::FaultyStream;
pub use faults::{Fault, FaultKind, FaultLog, Faults, FaultyEndpoint, Loss};
pub use script::{Problem, Script, ScriptedServer};
