//! Run trees as checks read them, from the store and from recordings.

use std::sync::Arc;

use plait_core::error::Fault;
use plait_core::flow::Flow;
use plait_core::id::RunId;
use plait_insight::lineage::RecordedRun;
use plait_journal::Entry;
use plait_store::Store;
use plait_suites::Evidence;

use crate::ErrorReply;
use crate::flows::text::recorded_flow;
use crate::recordings::{self, Recording};

/// A run of the store. `run.unknown`, `journal.corrupt`.
pub(super) fn stored_run(store: &Store, run: &RunId) -> Result<Arc<RecordedRun>, ErrorReply> {
    let record = store.run(run)?;
    let entries: Vec<Entry> = store.read_journal(run, 0)?.collect::<Result<_, Fault>>()?;
    let flow = recorded_flow(store, &record.flow.hash).ok();
    Ok(Arc::new(RecordedRun::new(run.clone(), &entries, flow)))
}

/// A run of a recording. `run.unknown`.
pub(super) fn recorded_run(recording: &Recording, run: &RunId) -> Result<Arc<RecordedRun>, ErrorReply> {
    let flow =
        recording.flow_of(run).and_then(|flow| recording.flow(&flow.hash).ok()).map(|flow| Flow::clone(flow));
    Ok(Arc::new(RecordedRun::new(run.clone(), recording.entries(run)?, flow)))
}

/// The root of a recording. `recording.damaged`.
pub(super) fn root_of(recording: &Recording) -> Result<&RunId, ErrorReply> {
    recording.root().ok_or_else(|| recordings::damaged("runs", "there is no run"))
}

pub(super) fn of_store(store: &Store, root: &RunId) -> Result<Evidence, ErrorReply> {
    Ok(Evidence::of(stored_run(store, root)?, &|run| stored_run(store, run).ok()))
}

pub(super) fn of_recording(recording: &Recording) -> Result<Evidence, ErrorReply> {
    let root = recorded_run(recording, root_of(recording)?)?;
    Ok(Evidence::of(root, &|run| recorded_run(recording, run).ok()))
}
