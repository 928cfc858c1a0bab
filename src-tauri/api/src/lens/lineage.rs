//! `lens.lineage`.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use plait_core::id::RunId;
use plait_insight::lineage::{
    Lineage, LineageChain, LineageError, LineagePlace, LineageSpot, RecordedRun, Selection, TextRange,
};
use plait_store::Store;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::LensService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::command::Command;
use crate::flows::text::lazy_recorded_flow;

/// `lens.lineage`: where a text of a run comes from, or where it went, as far as that is clear, and the places between which a person
/// chooses. `run.unknown`, `lens.no_place`, `lens.no_text`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct FollowText {
    pub run: RunId,
    pub spot: LineageSpot,
    pub direction: LineageDirection,
    /// The part of the text, if not all of it.
    #[serde(default)]
    #[ts(optional)]
    pub range: Option<TextRange>,
    /// In place of a range: the text itself.
    #[serde(default)]
    #[ts(optional)]
    pub text: Option<String>,
    /// Which occurrence of `text` it is, from 0.
    #[serde(default)]
    #[ts(type = "number")]
    pub occurrence: usize,
}

/// Which way a text is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum LineageDirection {
    /// To where it comes from.
    From,
    /// To where it went.
    To,
}

impl Command for FollowText {
    const NAME: &'static str = "lens.lineage";
    type Service = LensService;
    type Reply = LineageChain;

    async fn run(self, service: &LensService) -> Result<LineageChain, ErrorReply> {
        service.catch_up().await;
        let (store, known) = (service.store.clone(), Arc::clone(&service.recorded_runs));
        run_blocking(move || {
            store.run(&self.run)?;
            let load = |run: &RunId| known.load(&store, run);
            let lineage = Lineage::new(&load);
            let selection = match (self.text, self.range) {
                (Some(text), _) => Selection::Text { text, occurrence: self.occurrence },
                (None, Some(range)) => Selection::Range(range),
                (None, None) => Selection::Whole,
            };
            let place = LineagePlace { run: self.run, spot: self.spot };
            let chain = match self.direction {
                LineageDirection::From => lineage.where_from(&place, &selection),
                LineageDirection::To => lineage.where_to(&place, &selection),
            };
            chain.map_err(|error| to_reply(&error))
        })
        .await
    }
}

/// The runs that were read last: a person follows a text in several questions. Only runs that have ended are kept, since their
/// journals do not change.
#[derive(Default)]
pub(super) struct RecordedRuns(Mutex<VecDeque<Arc<RecordedRun>>>);

/// How many runs are kept: one, and a child run of it.
const MAX_RUNS: usize = 2;

impl RecordedRuns {
    /// A run, if its journal can be read. What can't be read of it is left out.
    fn load(&self, store: &Store, run: &RunId) -> Option<Arc<RecordedRun>> {
        let record = store.run(run).ok()?;
        if let Some(known) = self.0.lock().iter().find(|known| known.id() == run) {
            return Some(Arc::clone(known));
        }
        let (lines, flow) = std::thread::scope(|scope| {
            let flow = scope.spawn(|| lazy_recorded_flow(store, &record.flow.hash).ok());
            let lines = store.journal_lines(run);
            (lines, flow.join().unwrap_or_default())
        });
        let read = Arc::new(RecordedRun::of_lines(run.clone(), Box::new(lines.ok()?), flow));
        if record.status.is_final() {
            let mut known = self.0.lock();
            known.push_front(Arc::clone(&read));
            known.truncate(MAX_RUNS);
        }
        Some(read)
    }
}

fn to_reply(error: &LineageError) -> ErrorReply {
    match error {
        LineageError::NoPlace(_) => ErrorReply::new(codes::LENS_NO_PLACE, error.to_string()).hint(
            "`plait runs show RUN` lists the nodes and their values, `plait lens show RUN` the prompts.",
        ),
        LineageError::NoText(_) => ErrorReply::new(codes::LENS_NO_TEXT, error.to_string())
            .hint("Give the text exactly as it stands there."),
    }
}
