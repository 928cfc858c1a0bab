//! The same flow, inputs and answers give the same journal at any parallelism and under any schedule, except for times and
//! the interleaving of independent branches.

use std::sync::Arc;

use plait_journal::{ContextEvent, Event};
use proptest::prelude::*;

use super::matches_reference::is_in_broken_iteration;
use super::{assert_holds, runnable};
use crate::generate::Case;
use crate::journal_summary::{events_by_node, format_journal, summarize};
use crate::reference::{Expected, ExpectedEnd};
use crate::run_harness::{RunRecord, Scenario, Schedule};

fn with_concurrency(case: &Case, concurrency: usize) -> Scenario {
    let mut scenario = case.scenario(case.plan().unwrap());
    Arc::get_mut(&mut scenario.plan).unwrap().max_concurrency = concurrency;
    scenario
}

/// Asserts that two runs recorded the same events of each node in the same order, and left the same contexts.
pub(super) fn assert_same_journal(
    one: &RunRecord,
    other: &RunRecord,
    expected: &Expected,
) -> Result<(), TestCaseError> {
    let journals = || format!("{}\n{}", format_journal(&one.entries), format_journal(&other.entries));
    let (mut ours, mut theirs) = (events_by_node(&one.entries), events_by_node(&other.entries));
    // Iterations of a loop may be open beside each other: then only the order within each is certain. The progress of a
    // failed or stopped one depends on timing, and so do its discarded writes.
    if !expected.bodies.is_empty() {
        let place = |event: &Event| match event {
            Event::Loop(at, _) => Some(at.clone()),
            event => event.activation().cloned(),
        };
        let is_certain = |event: &Event| {
            !matches!(event, Event::Context(_, ContextEvent::Discarded { .. }))
                && place(event).is_none_or(|at| !is_in_broken_iteration(&at, expected))
        };
        for events in ours.values_mut().chain(theirs.values_mut()) {
            events.retain(is_certain);
            events.sort_by_key(|event| place(event).map(|at| at.epoch));
        }
        ours.retain(|_, events| !events.is_empty());
        theirs.retain(|_, events| !events.is_empty());
    }
    for (node, events) in &ours {
        prop_assert_eq!(Some(events), theirs.get(node), "{}\n{}", node, journals());
    }
    prop_assert_eq!(ours.len(), theirs.len());
    let summarize = |run: &RunRecord| summarize(&run.entries).map_err(TestCaseError::fail);
    let (ours, theirs) = (summarize(one)?, summarize(other)?);
    for id in expected.contexts.keys() {
        prop_assert_eq!(ours.contexts.get(id), theirs.contexts.get(id), "{}", journals());
    }
    prop_assert_eq!(ours.end, theirs.end, "{}", journals());
    Ok(())
}

#[test]
fn journal_does_not_depend_on_the_schedule() {
    assert_holds(150, 12, check_journal_does_not_depend_on_the_schedule);
}

pub fn check_journal_does_not_depend_on_the_schedule(case: &Case) -> Result<(), TestCaseError> {
    let (_, _, expected) = runnable(case)?;
    // Which activations had started when a run failed depends on timing. `matches_reference` covers those runs.
    if matches!(expected.end, ExpectedEnd::Failed { .. }) {
        return Err(TestCaseError::reject("fails"));
    }
    let plain = Schedule { seed: 0, asynchrony: 0, eager: false, stop: None };
    let first = with_concurrency(case, 1).run(plain);
    for (seed, concurrency) in (case.seed..).zip([1, 2, 3, 16]).map(|(seed, many)| (seed ^ 0x5eed, many)) {
        let schedule = Schedule::seeded(seed);
        let scenario = with_concurrency(case, concurrency);
        let patient = scenario.run(Schedule { eager: false, ..schedule });
        assert_same_journal(&first, &patient, &expected)?;
        let waiting = |run: &RunRecord| summarize(&run.entries).map(|summary| summary.waiting);
        prop_assert_eq!(waiting(&first), waiting(&patient));
        assert_same_journal(&first, &scenario.run(Schedule { eager: true, ..schedule }), &expected)?;
    }
    Ok(())
}
