//! The spans of a run tree, from its journals.

use std::collections::BTreeMap;

use plait_adapters::telemetry::{RunPlace, Span, SpanProjector};
use plait_core::id::RunId;
use plait_store::Store;

use crate::ErrorReply;
use crate::codes;

/// The spans of a run and its child runs that ended with an event which was not exported before: for each run, `exported` has the number
/// of the first event that was not. Open activations have none yet.
pub(crate) fn spans_of_tree(
    store: &Store,
    run: &RunId,
    content: bool,
    exported: &BTreeMap<RunId, u64>,
) -> Result<Vec<Span>, ErrorReply> {
    let mut place = RunPlace::root(run);
    if let Some(root) = root_of(store, run)?.filter(|root| root != run) {
        // Its parent's span is not exported with it, so it has none, but it is part of the same trace.
        place = RunPlace::root(&root);
    }
    let (mut spans, mut seen, mut next) = (Vec::new(), vec![run.clone()], vec![(run.clone(), place)]);
    while let Some((run, place)) = next.pop() {
        let entries = match store.read_damaged_journal(&run) {
            // A child run that was removed.
            Err(fault) if fault.code == codes::RUN_UNKNOWN && seen.len() > 1 => continue,
            entries => entries?,
        };
        let from = exported.get(&run).copied().unwrap_or_default();
        let mut projector = SpanProjector::new(run, place, content);
        // What can be read of a damaged one.
        for entry in entries.filter_map(Result::ok) {
            let (ended, child) = projector.apply(&entry);
            if entry.seq.is_some_and(|seq| seq >= from) {
                spans.extend(ended);
            }
            if let Some((run, place)) = child.filter(|(run, _)| !seen.contains(run)) {
                seen.push(run.clone());
                next.push((run, place));
            }
        }
    }
    Ok(spans)
}

fn root_of(store: &Store, run: &RunId) -> Result<Option<RunId>, ErrorReply> {
    let mut seen = vec![run.clone()];
    while let Some(parent) =
        seen.last().map(|run| store.run(run)).transpose()?.and_then(|record| record.parent_run_id)
    {
        // The records of a damaged store could form a circle.
        if seen.contains(&parent) {
            break;
        }
        seen.push(parent);
    }
    Ok(seen.pop())
}
