//! The workflow's memory: each activation reads the writes of the activations before it in plan order, at any timing,
//! and also in an interrupted run.

use std::sync::Arc;

use plait_journal::{Entry, Event, MemoryEvent};
use proptest::prelude::*;
use serde_json::json;

use super::matches_reference::check_run_matches_reference;
use super::resuming::check_resume_from_any_prefix_reaches_the_same_end;
use super::{assert_holds, assert_holds_with_loops, runnable};
use crate::generate::Case;
use crate::journal_summary::{events_by_node, format_journal};
use crate::nodes::semantics::digest;
use crate::reference::{ExpectedEnd, FlowAnalysis};
use crate::run_harness::{Ending, RunRecord, Scenario, Schedule};

/// The case, with a memory that half of its nodes read or write.
fn with_memory(case: &Case) -> Case {
    let mut case = case.clone();
    for (id, node) in case.flow.nodes.iter_mut().filter(|(_, node)| node.node_type != "loop") {
        let memory = match digest(&(id, case.seed)) % 4 {
            0 => "read",
            1 => "write",
            _ => "",
        };
        node.config.insert("memory".to_owned(), json!(memory));
    }
    case
}

fn with_concurrency(case: &Case, concurrency: usize) -> Scenario {
    let mut scenario = case.scenario(case.plan().unwrap());
    Arc::get_mut(&mut scenario.plan).unwrap().max_concurrency = concurrency;
    scenario
}

/// The turns in the order in which they were added.
fn turns(entries: &[Entry]) -> Vec<String> {
    let changes = entries.iter().filter_map(|entry| match &entry.event {
        Event::Memory(_, MemoryEvent::Appended { change, .. }) => Some(change),
        _ => None,
    });
    changes.flat_map(|change| change.turns.iter().map(|turn| turn.text.clone())).collect()
}

/// Asserts that two runs wrote the same memory, and that each activation read the same.
fn assert_same_memory(one: &RunRecord, other: &RunRecord) -> Result<(), TestCaseError> {
    let journals = || format!("{}\n{}", format_journal(&one.entries), format_journal(&other.entries));
    prop_assert_eq!(&one.ending, &other.ending, "{}", journals());
    prop_assert_eq!(turns(&one.entries), turns(&other.entries), "{}", journals());
    let (ours, theirs) = (events_by_node(&one.entries), events_by_node(&other.entries));
    let seen = |events: &[Event]| -> Vec<serde_json::Value> {
        let values = events.iter().map(|event| serde_json::to_value(event).unwrap());
        values.filter(|event| event["metadata"].get("seen").is_some()).collect()
    };
    for (node, events) in &ours {
        let others = theirs.get(node).map(|events| seen(events)).unwrap_or_default();
        prop_assert_eq!(seen(events), others, "{}\n{}", node, journals());
    }
    Ok(())
}

/// The case with a memory, if its nodes do not fail: which activations had started when a run failed depends on timing.
fn case_with_memory(case: &Case) -> Result<Case, TestCaseError> {
    let (_, _, expected) = runnable(case)?;
    if matches!(expected.end, ExpectedEnd::Failed { .. }) {
        return Err(TestCaseError::reject("fails"));
    }
    Ok(with_memory(case))
}

#[test]
fn memory_does_not_depend_on_the_schedule() {
    assert_holds(100, 12, |case| {
        let case = case_with_memory(case)?;
        let plain = Schedule { seed: 0, asynchrony: 0, eager: false, stop: None };
        let first = with_concurrency(&case, 1).run(plain);
        prop_assert!(first.ending != Ending::Stuck, "{}", format_journal(&first.entries));
        for (seed, concurrency) in (case.seed..).zip([1, 2, 3, 16]) {
            let schedule = Schedule::seeded(seed ^ 0x5eed);
            let scenario = with_concurrency(&case, concurrency);
            assert_same_memory(&first, &scenario.run(Schedule { eager: false, ..schedule }))?;
            assert_same_memory(&first, &scenario.run(Schedule { eager: true, ..schedule }))?;
        }
        Ok(())
    });
}

#[test]
fn memory_is_the_same_after_resume_from_any_prefix() {
    assert_holds(60, 10, |case| {
        let case = case_with_memory(case)?;
        let scenario = case.scenario(case.plan().unwrap());
        let mut rng = fastrand::Rng::with_seed(case.seed);
        let whole = scenario.run(Schedule::seeded(rng.u64(..)));
        let length = whole.entries.len();
        let prefixes: Vec<usize> = if length <= 30 {
            (1..=length).collect()
        } else {
            (0..12).map(|_| rng.usize(1..=length)).collect()
        };
        for length in prefixes {
            let run = scenario.resume(&whole.entries[..length], Schedule::seeded(rng.u64(..)));
            assert_same_memory(&whole, &run)?;
        }
        Ok(())
    });
}

/// The case with a memory with a known order.
pub fn with_ordered_memory(case: &Case) -> Result<Case, TestCaseError> {
    let case = with_memory(case);
    match FlowAnalysis::with_overrides(&case.flow, &case.overrides) {
        Ok(analysis) if !analysis.has_remembering_follower_of_inner_cycle() => Ok(case),
        _ => Err(TestCaseError::reject("refused")),
    }
}

#[test]
fn memory_matches_reference() {
    assert_holds(100, 12, |case| check_run_matches_reference(&with_ordered_memory(case)?));
}

#[test]
fn memory_of_loops_matches_reference() {
    assert_holds_with_loops(150, |case| check_run_matches_reference(&with_ordered_memory(case)?));
}

#[test]
fn memory_of_loops_is_the_same_after_resume_from_any_prefix() {
    assert_holds_with_loops(25, |case| {
        check_resume_from_any_prefix_reaches_the_same_end(&with_ordered_memory(case)?)
    });
}
