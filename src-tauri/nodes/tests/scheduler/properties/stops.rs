//! Stops change nothing: with breakpoints anywhere, which hold the whole run or their branch alone, any way to go on from any of those that
//! stand still at once, a pause at any moment and a kill at any other, a run makes the same requests and has the same journal, but for
//! `debug.*`.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use plait_journal::{Breakpoint, Entry, Event, Side, StopEvent, StopScope};
use proptest::prelude::*;

use super::resuming::{check_calls, check_resumed_run};
use super::schedule_independence::assert_same_journal;
use super::{assert_holds, assert_holds_with_loops, runnable};
use crate::generate::Case;
use crate::journal_summary::format_journal;
use crate::reference::ExpectedEnd;
use crate::run_harness::{RunRecord, Scenario, Schedule, Stop};

/// Breakpoints at about one of `rarity` places, all of them with a scope or each with one of both.
fn breakpoints(
    scenario: &Scenario,
    seed: u64,
    (rarity, scope): (usize, Option<StopScope>),
) -> Vec<Breakpoint> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut breakpoints = Vec::new();
    let events = [
        StopEvent::ContextChanged { context: None },
        StopEvent::MemoryChanged,
        StopEvent::HistoryTrimmed,
        StopEvent::UntrustedSent,
        StopEvent::GrantUsed,
        StopEvent::AttemptRetried,
        StopEvent::SpendingPassed { nano_usd: rng.u64(..1_000_000) },
    ];
    for node in &scenario.plan.nodes {
        for side in [Side::Before, Side::Call, Side::After] {
            if rng.usize(..rarity) == 0 {
                let any = if rng.bool() { StopScope::Tree } else { StopScope::Branch };
                let scope = scope.unwrap_or(any);
                let event = events.get(rng.usize(..events.len() * 2)).cloned();
                breakpoints.push(Breakpoint {
                    id: breakpoints.len().to_string(),
                    node: (event.is_none() || rng.bool()).then(|| node.id.clone()),
                    side,
                    event,
                    scope,
                    ..Breakpoint::default()
                });
            }
        }
    }
    breakpoints
}

/// The run without the events of the debugger.
fn undebugged(mut run: RunRecord) -> RunRecord {
    run.entries = without_debugger(run.entries);
    run
}

/// The entries but those of the debugger, with numbers that follow one another again.
fn without_debugger(mut entries: Vec<Entry>) -> Vec<Entry> {
    entries.retain(|entry| !matches!(entry.event, Event::Debug(_)));
    entries.iter_mut().zip(0..).for_each(|(entry, seq)| entry.seq = Some(seq));
    entries
}

fn check(case: &Case) -> Result<(), TestCaseError> {
    let (scenario, _, expected) = runnable(case)?;
    // Which activations had started when a run failed depends on timing.
    if matches!(expected.end, ExpectedEnd::Failed { .. }) {
        return Err(TestCaseError::reject("fails"));
    }
    let plain = scenario.run(Schedule { seed: 0, asynchrony: 0, eager: false, stop: None });
    let variants =
        [(1, None), (1, Some(StopScope::Branch)), (2, None), (6, None), (6, Some(StopScope::Branch))];
    for (seed, variant) in (case.seed..).zip(variants) {
        let schedule = Schedule { eager: false, ..Schedule::seeded(seed ^ 0xdeb) };
        let mut rng = fastrand::Rng::with_seed(seed);
        let debugged = scenario.debug(breakpoints(&scenario, seed, variant), rng.usize(1..60), schedule);
        prop_assert_eq!(&debugged.ending, &plain.ending, "{}", format_journal(&debugged.entries));
        MOST_STOPS.fetch_max(debugged.most_stops, Ordering::Relaxed);
        let before = debugged.entries[..rng.usize(1..=debugged.entries.len())].to_vec();
        let debugged = undebugged(debugged);
        assert_same_journal(&plain, &debugged, &expected)?;
        check_calls(BTreeSet::new(), &debugged, &expected)?;
        let resumed = scenario.resume(&before, schedule.stop(Stop::Debug(usize::MAX)));
        check_resumed_run(&scenario, &without_debugger(before), &undebugged(resumed), &expected)?;
    }
    Ok(())
}

/// At how many stops a run stood at once, at most.
static MOST_STOPS: AtomicUsize = AtomicUsize::new(0);

#[test]
fn journal_does_not_depend_on_stops() {
    assert_holds(100, 12, check);
    assert!(MOST_STOPS.load(Ordering::Relaxed) > 2, "several branches stood still at once");
}

#[test]
fn journal_of_loops_does_not_depend_on_stops() {
    assert_holds_with_loops(100, check);
    assert!(MOST_STOPS.load(Ordering::Relaxed) > 2, "several branches stood still at once");
}
