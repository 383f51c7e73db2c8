//! One direction of a byte stream: which bytes pass, and what happens between them.

use std::time::Duration;

use super::{Fault, Faults};

/// Where one direction of a stream stands in its plan.
#[derive(Debug)]
pub(super) struct Lane {
    faults: Faults,
    number: u64,
    /// The stretch that begins next.
    index: u64,
    /// How much of the current stretch has not passed.
    left: usize,
    /// How much of it may pass at once.
    piece: usize,
    ended: Option<Step>,
}

/// What a direction does next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// So many bytes may pass at once; [`Lane::handle_passed`] says how many did.
    Pass(usize),
    /// Nothing for so long, then the next step.
    Wait(Duration),
    /// These bytes come in between, then the next step.
    Insert(Vec<u8>),
    /// This direction is over.
    End,
    /// The whole connection is over.
    Cut,
}

impl Lane {
    pub(super) fn new(faults: Faults, number: u64) -> Self {
        Self {
            faults,
            number,
            index: 0,
            left: 0,
            piece: usize::MAX,
            ended: None,
        }
    }

    /// The same plan from its beginning, on another lane.
    pub(super) fn renumbered(&self, number: u64) -> Self {
        Self::new(self.faults.clone(), number)
    }

    /// The next step, and the fault if it is one.
    pub(super) fn poll_step(&mut self) -> (Step, Option<Fault>) {
        if let Some(ended) = &self.ended {
            return (ended.clone(), None);
        }
        if self.left > 0 {
            return (Step::Pass(self.left.min(self.piece)), None);
        }
        let fault = self.faults.at(self.number, self.index);
        self.left = self.faults.length(self.number, self.index);
        self.index += 1;
        self.piece = usize::MAX;
        let step = match &fault {
            Some(Fault::Chop(bytes)) => {
                self.piece = *bytes;
                Step::Pass(self.left.min(*bytes))
            }
            Some(Fault::Delay(wait)) => Step::Wait(*wait),
            Some(Fault::Garbage(bytes)) => Step::Insert(bytes.clone()),
            Some(Fault::HalfClose) => self.end(Step::End),
            Some(Fault::Cut(_)) => self.end(Step::Cut),
            // A stream has one order.
            Some(Fault::Reorder(_)) | None => return (Step::Pass(self.left), None),
        };
        (step, fault)
    }

    /// So many bytes of a [`Step::Pass`] have passed.
    pub(super) fn handle_passed(&mut self, bytes: usize) {
        self.left = self.left.saturating_sub(bytes);
    }

    /// The other direction has met the end of the connection.
    pub(super) fn handle_cut(&mut self) {
        self.end(Step::Cut);
    }

    fn end(&mut self, step: Step) -> Step {
        self.ended.insert(step).clone()
    }
}
