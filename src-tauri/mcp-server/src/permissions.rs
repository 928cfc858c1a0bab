//! What the person permits agents when the server is started.

use std::collections::BTreeSet;

/// Something that agents may not do unless the person says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Permission {
    /// Run flows, answer their questions, cancel what was begun here.
    Run,
    /// Propose edits of flows, which the person accepts or not.
    Propose,
}

impl Permission {
    /// Its word on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Propose => "propose",
        }
    }
}

/// What agents may do beside reading.
#[derive(Clone, Debug, Default)]
pub struct Permissions {
    pub granted: BTreeSet<Permission>,
    /// What the runs that are begun here may cost together, in billionths of a US dollar.
    pub spend_nano_usd: u64,
}
