//! What has gone wrong so far, by kind.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use super::Fault;

/// The kinds of [`Fault`], in the order in which their rates are added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// [`Fault::Cut`]
    Cut,
    /// [`Fault::HalfClose`]
    HalfClose,
    /// [`Fault::Garbage`]
    Garbage,
    /// [`Fault::Delay`]
    Delay,
    /// [`Fault::Reorder`]
    Reorder,
    /// [`Fault::Chop`]
    Chop,
}

impl FaultKind {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Cut,
        Self::HalfClose,
        Self::Garbage,
        Self::Delay,
        Self::Reorder,
        Self::Chop,
    ];

    /// Whether it takes something away: after it a call may fail. The others only take time.
    pub const fn breaks(self) -> bool {
        matches!(self, Self::Cut | Self::HalfClose | Self::Garbage)
    }

    /// Its name, in lower case.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cut => "cut",
            Self::HalfClose => "half-close",
            Self::Garbage => "garbage",
            Self::Delay => "delay",
            Self::Reorder => "reorder",
            Self::Chop => "chop",
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Fault {
    /// Its kind.
    pub const fn kind(&self) -> FaultKind {
        match self {
            Self::Chop(_) => FaultKind::Chop,
            Self::Delay(_) => FaultKind::Delay,
            Self::Reorder(_) => FaultKind::Reorder,
            Self::Cut(_) => FaultKind::Cut,
            Self::HalfClose => FaultKind::HalfClose,
            Self::Garbage(_) => FaultKind::Garbage,
        }
    }
}

/// Counts the faults that came. Clones count together.
#[derive(Clone, Default)]
pub struct FaultLog(Arc<Inner>);

type Tell = Box<dyn Fn(&Fault) + Send + Sync>;

#[derive(Default)]
struct Inner {
    counts: [AtomicU64; FaultKind::ALL.len()],
    tell: Option<Tell>,
}

impl FaultLog {
    /// An empty log.
    pub fn new() -> Self {
        Self::default()
    }

    /// A log that also tells each fault, just before it takes effect.
    pub fn telling(tell: impl Fn(&Fault) + Send + Sync + 'static) -> Self {
        Self(Arc::new(Inner {
            counts: Default::default(),
            tell: Some(Box::new(tell)),
        }))
    }

    /// How many faults of this kind came.
    pub fn count(&self, kind: FaultKind) -> u64 {
        self.0.counts[kind as usize].load(Ordering::Acquire)
    }

    /// How many faults came in all.
    pub fn total(&self) -> u64 {
        FaultKind::ALL
            .into_iter()
            .map(|kind| self.count(kind))
            .sum()
    }

    /// How many came after which a call may fail.
    pub fn breaking(&self) -> u64 {
        let kinds = FaultKind::ALL.into_iter().filter(|kind| kind.breaks());
        kinds.map(|kind| self.count(kind)).sum()
    }

    pub(super) fn record(&self, fault: &Fault) {
        if let Some(tell) = &self.0.tell {
            tell(fault);
        }
        self.0.counts[fault.kind() as usize].fetch_add(1, Ordering::AcqRel);
    }
}

impl fmt::Debug for FaultLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = FaultKind::ALL.map(|kind| (kind.as_str(), self.count(kind)));
        f.debug_map().entries(counts).finish()
    }
}
