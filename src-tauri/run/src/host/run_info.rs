//! The properties of a run that do not change while it runs.

use std::sync::Arc;

use plait_core::id::{Activation, RunId};
use plait_core::origin::Origins;
use plait_core::user::UserName;
use plait_journal::earlier_run::EarlierRun;
use plait_llm::context::Conversation;
use plait_llm::grant::Grants;

/// The text that a run was started with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunInput {
    pub text: String,
    /// Where it comes from.
    pub origins: Origins,
}

/// What does not change during a run.
#[derive(Clone, Debug)]
pub struct RunInfo {
    pub run: RunId,
    /// Who it belongs to.
    pub user: UserName,
    pub flow_name: String,
    /// The folder of the flow's file, if it has one.
    pub folder: Option<String>,
    /// The text that the run was started with.
    pub input: Option<RunInput>,
    /// The conversation that the run continues.
    pub conversation: Option<Conversation>,
    /// What the person allows the run to use. `None` for a run that was recorded before there were grants: it has no limits.
    pub grants: Option<Arc<Grants>>,
    /// Whether it, and the runs below it, execute pinned nodes.
    pub ignores_pins: bool,
    /// What it takes over from the run that it is forked from.
    pub earlier: Option<EarlierRun>,
}

impl RunInfo {
    /// What an activation takes over from the run that its own is forked from. Nothing where the fork does it again.
    pub fn earlier_of(&self, activation: &Activation) -> Option<&EarlierRun> {
        self.earlier.as_ref().filter(|earlier| !earlier.is_fresh(activation))
    }
}
