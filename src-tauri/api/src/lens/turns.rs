//! `lens.turns`.

use plait_core::id::RunId;
use plait_insight::lens::LoopTurnsView;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{LensService, read_entries};
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::command::Command;

/// `lens.turns`: the conversations of the loops of a run that have not ended. `run.unknown`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ListTurns {
    /// The run.
    pub run: RunId,
}

impl Command for ListTurns {
    const NAME: &'static str = "lens.turns";
    type Service = LensService;
    type Reply = Vec<LoopTurnsView>;

    async fn run(self, service: &LensService) -> Result<Vec<LoopTurnsView>, ErrorReply> {
        let store = service.store.clone();
        run_blocking(move || Ok(LoopTurnsView::open_in(&read_entries(&store, &self.run)?))).await
    }
}
