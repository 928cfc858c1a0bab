//! What the database announces.

/// What a process wants to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// Trees that have a request.
    Due,
    /// Trees that have come to rest or were removed, and requests that were answered.
    Rest,
    /// New records of trees that are watched.
    Events,
    /// Runs that somebody watches.
    Watch,
    /// Text that runs are writing.
    Text,
}

impl Topic {
    /// What its channel ends with.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Due => "due",
            Self::Rest => "rest",
            Self::Events => "events",
            Self::Watch => "watch",
            Self::Text => "text",
        }
    }
}
