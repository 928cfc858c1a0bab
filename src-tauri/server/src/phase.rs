//! What the host does on its way to its end.

use plait_api::ErrorReply;

use crate::codes;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Serving,
    /// No runs begin; those at work may end.
    Draining,
    /// No requests are taken.
    Ending,
}

impl Phase {
    /// `host.closing` unless requests are taken as ever.
    pub(crate) fn refuse_unless_serving(self) -> Result<(), ErrorReply> {
        if self == Self::Serving { Ok(()) } else { Err(closing()) }
    }
}

pub(crate) fn closing() -> ErrorReply {
    ErrorReply::new(codes::HOST_CLOSING, "The host ends.")
        .hint("Runs that go on are continued when it starts again.")
}
