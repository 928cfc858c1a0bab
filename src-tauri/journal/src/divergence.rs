//! Faults of a journal in which an entry does not follow from those before it.

use crate::codes;
use crate::{ENGINE_REVISION, Entry, Event, NodeEvent, RunEvent};
use plait_core::error::Fault;

/// The revision of the engine that recorded a journal, given its first entry.
pub fn recorded_revision(first: Option<&Entry>) -> u32 {
    match first.map(|entry| &entry.event) {
        Some(Event::Run(RunEvent::Started { revision, .. })) => *revision,
        _ => ENGINE_REVISION,
    }
}

/// The fault for an event that does not follow from those before it.
pub fn diverged(entry: &Entry, expected: &Event, revision: u32) -> Fault {
    let seq = entry.seq.unwrap_or_default();
    let details = serde_json::json!({ "found": entry.event, "expected": expected });
    if revision != ENGINE_REVISION {
        return other_revision(seq, revision).details(details);
    }
    Fault::new(
        codes::JOURNAL_DIVERGED,
        format!("Entry {seq} of this run's journal is not what follows from those before it."),
    )
    .hint("The journal is damaged. `plait retry` continues as a new run, which reuses what this one bought.")
    .details(details)
}

/// The fault for an event that the scheduler refuses.
pub fn impossible(entry: &Entry, fault: Fault, revision: u32) -> Fault {
    if revision == ENGINE_REVISION {
        return fault;
    }
    other_revision(entry.seq.unwrap_or_default(), revision).details(fault.details)
}

/// Whether journals of earlier versions have the derived event in this form: they do not say which failure a node was skipped after.
pub fn is_without_cause(derived: &Event, recorded: &Event) -> bool {
    match (derived, recorded) {
        (
            Event::Node(at, NodeEvent::Skipped { reason, .. }),
            Event::Node(recorded_at, NodeEvent::Skipped { reason: recorded_reason, failed: None }),
        ) => at == recorded_at && reason == recorded_reason,
        _ => false,
    }
}

fn other_revision(seq: u64, revision: u32) -> Fault {
    let message = format!(
        "This run was recorded by revision {revision} of the engine. This is revision {ENGINE_REVISION}, which decides \
         differently from entry {seq} on."
    );
    Fault::new(codes::JOURNAL_OTHER_REVISION, message)
        .hint("`plait retry` continues as a new run, which reuses what this one bought.")
}
