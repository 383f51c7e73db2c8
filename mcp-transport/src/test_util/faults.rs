//! Faults as a function of a seed: which one comes where.

mod endpoint;
#[cfg(any(
    feature = "client-http",
    feature = "client-stdio",
    feature = "server-http",
    feature = "server-stdio"
))]
mod lane;
mod log;
#[cfg(any(feature = "client-http", feature = "server-http"))]
mod proxy;
#[cfg(any(
    feature = "client-http",
    feature = "client-stdio",
    feature = "server-http",
    feature = "server-stdio"
))]
mod stream;
#[cfg(test)]
mod tests;

use std::time::Duration;

#[cfg(any(feature = "client-http", feature = "server-http"))]
pub use self::proxy::FaultyProxy;
#[cfg(any(
    feature = "client-http",
    feature = "client-stdio",
    feature = "server-http",
    feature = "server-stdio"
))]
pub use self::stream::FaultyStream;
pub use self::{
    endpoint::FaultyEndpoint,
    log::{FaultKind, FaultLog},
};

/// A plan of faults: what goes wrong where is a function of the seed, and of nothing else.
///
/// A byte stream is cut into stretches of about [`Self::stretch`] bytes, and each of its two directions is a lane of
/// its own; to an endpoint each exchange is a stretch. At the beginning of a stretch at most one fault comes. A rate
/// is the share of stretches that a fault hits, from 0 to 1; where the rates are more than 1 in all, those that
/// [`FaultKind`] names last are cut.
///
/// What fails with a seed fails with it again: print the seed.
///
/// ```
/// use std::time::Duration;
/// use mcp_transport::test_util::Faults;
///
/// let faults = Faults::seeded(7)
///     .chop(0.2) // a fifth of the stretches comes in small pieces
///     .delay(0.05, Duration::from_millis(20)) // some come late
///     .cut(0.01); // and some not at all
/// let lane = |number| (0..1_000).map(|index| faults.at(number, index)).collect::<Vec<_>>();
/// assert_eq!(lane(0), lane(0));
/// assert_ne!(lane(0), lane(1));
/// assert_eq!(Faults::seeded(7).at(0, 0), None);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Faults {
    seed: u64,
    rates: [f64; FaultKind::ALL.len()],
    longest: Duration,
    stretch: usize,
}

/// What goes wrong at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The stretch comes in pieces of at most so many bytes. An endpoint has no bytes: nothing happens.
    Chop(usize),
    /// Nothing moves for so long.
    Delay(Duration),
    /// The answer is held back until that of a later exchange has come; at most for so long, for there may be none.
    /// A byte stream keeps its order: nothing happens.
    Reorder(Duration),
    /// The connection breaks, both directions of it. An exchange is lost, either before its request arrives, or after
    /// it ran.
    Cut(Loss),
    /// This direction ends, the other goes on. Of an exchange the answer never comes, and nothing says so.
    HalfClose,
    /// Bytes that belong to nothing stand in front of the stretch. They hold 0xFF, which is in no UTF-8, so no message
    /// that has them in its midst can be taken for another. The answer of an exchange is malformed.
    Garbage(Vec<u8>),
}

/// On which side of its work an exchange is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there is no third side")]
pub enum Loss {
    /// The request never arrives.
    Request,
    /// The request arrives and is answered, but the answer does not arrive.
    Answer,
}

impl Faults {
    /// The plan of `seed`, with no fault yet.
    pub fn seeded(seed: u64) -> Self {
        Self {
            seed,
            rates: [0.0; FaultKind::ALL.len()],
            longest: Duration::from_millis(50),
            stretch: 512,
        }
    }

    /// This share of the stretches comes in pieces of 1 to 16 bytes.
    #[must_use]
    pub fn chop(self, rate: f64) -> Self {
        self.rate(FaultKind::Chop, rate)
    }

    /// This share of the stretches waits, from a moment to `longest`.
    #[must_use]
    pub fn delay(mut self, rate: f64, longest: Duration) -> Self {
        self.longest = longest;
        self.rate(FaultKind::Delay, rate)
    }

    /// This share of the exchanges ends after a later one, or once the longest delay (50 ms, or what [`Self::delay`]
    /// says) has passed.
    #[must_use]
    pub fn reorder(self, rate: f64) -> Self {
        self.rate(FaultKind::Reorder, rate)
    }

    /// At this share of the stretches the connection breaks.
    #[must_use]
    pub fn cut(self, rate: f64) -> Self {
        self.rate(FaultKind::Cut, rate)
    }

    /// At this share of the stretches one direction ends.
    #[must_use]
    pub fn half_close(self, rate: f64) -> Self {
        self.rate(FaultKind::HalfClose, rate)
    }

    /// In front of this share of the stretches stand 1 to 32 bytes of garbage.
    #[must_use]
    pub fn garbage(self, rate: f64) -> Self {
        self.rate(FaultKind::Garbage, rate)
    }

    /// How long a stretch of a byte stream is, on average, in bytes: 512. Each is from half to three halves of that.
    #[must_use]
    pub fn stretch(mut self, bytes: usize) -> Self {
        self.stretch = bytes.max(2);
        self
    }

    /// The fault at the beginning of stretch `index` of a lane.
    pub fn at(&self, lane: u64, index: u64) -> Option<Fault> {
        let drawn = unit(self.draw(lane, index, 0));
        let mut below = 0.0;
        let kind = FaultKind::ALL
            .into_iter()
            .zip(self.rates)
            .find(|(_, rate)| {
                below += rate;
                drawn < below
            })?;
        let more = self.draw(lane, index, 1);
        Some(match kind.0 {
            FaultKind::Chop => Fault::Chop(1 + (more % 16) as usize),
            FaultKind::Delay => Fault::Delay(self.longest.mul_f64(unit(more))),
            FaultKind::Reorder => Fault::Reorder(self.longest),
            FaultKind::Cut if more.is_multiple_of(2) => Fault::Cut(Loss::Request),
            FaultKind::Cut => Fault::Cut(Loss::Answer),
            FaultKind::HalfClose => Fault::HalfClose,
            FaultKind::Garbage => Fault::Garbage(self.noise(lane, index, more)),
        })
    }

    /// How many bytes stretch `index` of a lane has.
    #[cfg(any(
        feature = "client-http",
        feature = "client-stdio",
        feature = "server-http",
        feature = "server-stdio"
    ))]
    fn length(&self, lane: u64, index: u64) -> usize {
        let half = self.stretch / 2;
        half + (self.draw(lane, index, 2) % (self.stretch as u64 + 1)) as usize
    }

    fn noise(&self, lane: u64, index: u64, size: u64) -> Vec<u8> {
        let mut bytes: Vec<u8> = (0..size % 32)
            .map(|at| self.draw(lane, index, 3 + at) as u8)
            .collect();
        bytes.push(0xFF);
        bytes
    }

    fn rate(mut self, kind: FaultKind, rate: f64) -> Self {
        self.rates[kind as usize] = rate.clamp(0.0, 1.0);
        self
    }

    /// The number at one place: three rounds of a mixer that changes half of the bits for each bit that changes.
    fn draw(&self, lane: u64, index: u64, salt: u64) -> u64 {
        mix(mix(mix(self.seed).wrapping_add(lane))
            .wrapping_add(index)
            .wrapping_add(salt << 56))
    }
}

/// SplitMix64: one step of its state, and the finaliser.
const fn mix(state: u64) -> u64 {
    let z = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// From 0, inclusive, to 1, exclusive.
fn unit(drawn: u64) -> f64 {
    (drawn >> 11) as f64 / (1_u64 << 53) as f64
}
