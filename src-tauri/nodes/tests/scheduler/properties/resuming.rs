//! Resuming from any prefix of a journal gives the same result as never having stopped, and repeats no effect and no message.

use std::collections::BTreeSet;

use plait_core::id::Activation;
use plait_journal::{CallEvent, Entry, Event, NodeEvent};
use proptest::prelude::*;

use super::matches_reference::{assert_matches, is_in_broken_iteration};
use super::{assert_holds, runnable};
use crate::generate::Case;
use crate::journal_summary::{at, format_journal};
use crate::reference::{Expected, ExpectedEnd};
use crate::run_harness::{Ending, RunRecord, Scenario, Schedule, Stop};

/// The external calls that a journal records.
pub(super) fn on_record(entries: &[Entry]) -> BTreeSet<(Activation, u32)> {
    let recorded = |entry: &Entry| match &entry.event {
        Event::Call(Activation { node, epoch }, CallEvent::ModelReplied { step, .. }) => {
            Some((at(node, epoch), *step))
        }
        _ => None,
    };
    entries.iter().filter_map(recorded).collect()
}

/// Asserts that a run resumed after `before` has the expected result and repeated no recorded call.
pub(super) fn check_resumed_run(
    scenario: &Scenario,
    before: &[Entry],
    run: &RunRecord,
    expected: &Expected,
) -> Result<(), TestCaseError> {
    prop_assert!(
        run.entries.starts_with(before),
        "written entries were changed\n{}",
        format_journal(&run.entries)
    );
    assert_matches(scenario, run, expected).map_err(|error| match error {
        TestCaseError::Fail(why) => TestCaseError::fail(format!("resumed after {}: {why}", before.len())),
        reject @ TestCaseError::Reject(_) => reject,
    })?;
    check_calls(on_record(before), run, expected)
}

pub(super) fn check_calls(
    mut made: BTreeSet<(Activation, u32)>,
    run: &RunRecord,
    expected: &Expected,
) -> Result<(), TestCaseError> {
    for call in &run.external_calls.calls {
        prop_assert!(made.insert(call.clone()), "{:?} is repeated\n{}", call, format_journal(&run.entries));
    }
    if !matches!(expected.end, ExpectedEnd::Failed { .. }) {
        let all =
            expected.calls.iter().flat_map(|(at, steps)| (0..*steps).map(move |step| (at.clone(), step)));
        // How far an iteration came that failed or was stopped depends on timing.
        made.retain(|(at, _)| !is_in_broken_iteration(at, expected));
        prop_assert_eq!(made, all.collect::<BTreeSet<_>>(), "{}", format_journal(&run.entries));
    }
    Ok(())
}

/// The prefixes to try: all of a small journal, some of a large one.
fn prefixes(length: usize, rng: &mut fastrand::Rng) -> Vec<usize> {
    if length <= 40 { (1..=length).collect() } else { (0..16).map(|_| rng.usize(1..=length)).collect() }
}

#[test]
fn resume_from_any_prefix_reaches_the_same_end() {
    assert_holds(80, 10, check_resume_from_any_prefix_reaches_the_same_end);
}

pub fn check_resume_from_any_prefix_reaches_the_same_end(case: &Case) -> Result<(), TestCaseError> {
    let (scenario, _, expected) = runnable(case)?;
    let mut rng = fastrand::Rng::with_seed(case.seed);
    let whole = scenario.run(Schedule::seeded(rng.u64(..)));
    for length in prefixes(whole.entries.len(), &mut rng) {
        let before = &whole.entries[..length];
        let run = scenario.resume(before, Schedule::seeded(rng.u64(..)));
        check_resumed_run(&scenario, before, &run, &expected)?;
    }
    Ok(())
}

#[test]
fn resume_after_repeated_crashes_reaches_the_same_end() {
    assert_holds(80, 12, check_resume_after_repeated_crashes_reaches_the_same_end);
}

pub fn check_resume_after_repeated_crashes_reaches_the_same_end(case: &Case) -> Result<(), TestCaseError> {
    let (scenario, _, expected) = runnable(case)?;
    let mut rng = fastrand::Rng::with_seed(case.seed);
    let mut entries = scenario.run(Schedule::seeded(rng.u64(..))).entries;
    for _ in 0..6 {
        entries.truncate(rng.usize(1..=entries.len()));
        let run = scenario.resume(&entries, Schedule::seeded(rng.u64(..)));
        check_resumed_run(&scenario, &entries, &run, &expected)?;
        entries = run.entries;
    }
    Ok(())
}

/// A fork of any prefix ends as the whole run did, buys only what the prefix has not, and asks only what nobody answered.
#[test]
fn fork_of_any_prefix_reaches_the_same_end() {
    assert_holds(80, 14, check_fork_of_any_prefix_reaches_the_same_end);
}

pub fn check_fork_of_any_prefix_reaches_the_same_end(case: &Case) -> Result<(), TestCaseError> {
    let (scenario, _, expected) = runnable(case)?;
    let mut rng = fastrand::Rng::with_seed(case.seed);
    let whole = scenario.run(Schedule::seeded(rng.u64(..)));
    for length in prefixes(whole.entries.len(), &mut rng) {
        let earlier = &whole.entries[..length];
        let fork = scenario.fork(earlier, Schedule::seeded(rng.u64(..)));
        check_fork(&scenario, earlier, &fork, &expected)?;
        let length = rng.usize(1..=fork.entries.len());
        let again = scenario.fork(&fork.entries[..length], Schedule::seeded(rng.u64(..)));
        check_fork(&scenario, &fork.entries[..length], &again, &expected)?;
    }
    Ok(())
}

fn check_fork(
    scenario: &Scenario,
    earlier: &[Entry],
    fork: &RunRecord,
    expected: &Expected,
) -> Result<(), TestCaseError> {
    assert_matches(scenario, fork, expected).map_err(|error| match error {
        TestCaseError::Fail(why) => TestCaseError::fail(format!("forked from {}: {why}", earlier.len())),
        reject @ TestCaseError::Reject(_) => reject,
    })?;
    check_calls(on_record(earlier), fork, expected)?;
    for activation in &fork.acknowledged {
        let count =
            |answers: &mut dyn Iterator<Item = Activation>| answers.filter(|at| at == activation).count();
        let known = count(&mut answered(earlier));
        let given = count(&mut fork.acknowledged.iter().cloned());
        prop_assert!(known + given <= count(&mut answered(&fork.entries)), "{} is asked again", activation);
    }
    Ok(())
}

fn answered(entries: &[Entry]) -> impl Iterator<Item = Activation> {
    entries.iter().filter_map(|entry| match &entry.event {
        Event::Node(Activation { node, epoch }, NodeEvent::Answered { .. }) => Some(at(node, epoch)),
        _ => None,
    })
}

/// A crash loses at most what was not flushed. Recorded calls and answers are flushed before anything depends on them.
#[test]
fn resume_after_losing_unflushed_entries_repeats_nothing() {
    assert_holds(80, 12, check_resume_after_losing_unflushed_entries_repeats_nothing);
}

pub fn check_resume_after_losing_unflushed_entries_repeats_nothing(case: &Case) -> Result<(), TestCaseError> {
    let (scenario, _, expected) = runnable(case)?;
    let mut rng = fastrand::Rng::with_seed(case.seed);
    let steps = scenario.run(Schedule::seeded(case.seed)).steps;
    for _ in 0..6 {
        let stop = Stop::Crash(rng.usize(1..=steps));
        let mut crashed = scenario.run(Schedule::seeded(case.seed).stop(stop));
        if crashed.ending != Ending::Crashed {
            continue;
        }
        let left = rng.usize(crashed.flushed..=crashed.entries.len());
        crashed.entries.truncate(left);
        let recorded = on_record(&crashed.entries);
        for call in &crashed.external_calls.safe {
            prop_assert!(
                recorded.contains(call),
                "{:?} was not flushed\n{}",
                call,
                format_journal(&crashed.entries)
            );
        }
        for activation in &crashed.acknowledged {
            let is_recorded = answered(&crashed.entries).any(|found| found == *activation);
            prop_assert!(
                is_recorded,
                "the answer of {} was not flushed\n{}",
                activation,
                format_journal(&crashed.entries)
            );
        }
        if left > 0 {
            let run = scenario.resume(&crashed.entries, Schedule::seeded(rng.u64(..)));
            check_resumed_run(&scenario, &crashed.entries, &run, &expected)?;
        }
    }
    Ok(())
}

/// A journal that fails to append stops the run with its fault. The run can be resumed from what was written.
#[test]
fn resume_after_full_disk_reaches_the_same_end() {
    assert_holds(80, 10, check_resume_after_full_disk_reaches_the_same_end);
}

fn check_resume_after_full_disk_reaches_the_same_end(case: &Case) -> Result<(), TestCaseError> {
    let (scenario, _, expected) = runnable(case)?;
    let mut rng = fastrand::Rng::with_seed(case.seed);
    let length = scenario.run(Schedule::seeded(case.seed)).entries.len();
    for _ in 0..4 {
        let stop = Stop::DiskFull(rng.usize(1..length.max(2)));
        let broken = scenario.run(Schedule::seeded(case.seed).stop(stop));
        if let Ending::Faulted(fault) = &broken.ending {
            prop_assert_eq!(&fault.code, "test.disk_full");
            if !broken.entries.is_empty() {
                let run = scenario.resume(&broken.entries, Schedule::seeded(rng.u64(..)));
                check_resumed_run(&scenario, &broken.entries, &run, &expected)?;
            }
        }
    }
    Ok(())
}
