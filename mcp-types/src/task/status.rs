//! How a task stands, and what may come next.

words! {
    /// How a task stands.
    pub enum TaskStatus {
        /// It works.
        Working = "working",
        /// It waits for the client.
        InputRequired = "input_required",
        /// It is done.
        Completed = "completed",
        /// It is over without a result.
        Failed = "failed",
        /// It was called off.
        Cancelled = "cancelled",
    }
}

impl TaskStatus {
    /// The five statuses of the specification.
    pub const ALL: [Self; 5] = [
        Self::Working,
        Self::InputRequired,
        Self::Completed,
        Self::Failed,
        Self::Cancelled,
    ];

    /// Whether nothing comes next.
    pub const fn is_terminal(&self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }

    /// Whether `next` may come next: whatever is not over may change into anything else that is known.
    pub fn can_become(&self, next: &Self) -> bool {
        let goes_on = matches!(self, Self::Working | Self::InputRequired);
        goes_on && self != next && !matches!(next, Self::Other(_))
    }
}
