//! `lens.turns`.

use plait_core::id::RunId;
use plait_insight::lens::LoopTurnsView;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{LensService, read_entries};
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::command::Command;

/// `lens.turns`: the conversations of the loops of a run. `run.unknown`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ListTurns {
    pub run: RunId,
    /// Also of loops that have ended.
    #[serde(default)]
    #[ts(optional, as = "Option<bool>")]
    pub ended: bool,
}

impl Command for ListTurns {
    const NAME: &'static str = "lens.turns";
    type Service = LensService;
    type Reply = Vec<LoopTurnsView>;

    async fn run(self, service: &LensService) -> Result<Vec<LoopTurnsView>, ErrorReply> {
        service.catch_up().await;
        let store = service.store.clone();
        run_blocking(move || {
            let mut all = LoopTurnsView::all_in(&read_entries(&store, &self.run)?);
            all.retain(|view| self.ended || view.is_open);
            Ok(all)
        })
        .await
    }
}
