//! Stops change nothing: with breakpoints anywhere, which hold the whole run or their branch alone, any way to go on from them, and a
//! pause at any moment, a run has the same journal, but for `debug.*`.

use plait_journal::{Breakpoint, Event, Side, StopEvent, StopScope};
use proptest::prelude::*;

use super::schedule_independence::assert_same_journal;
use super::{assert_holds, assert_holds_with_loops, runnable};
use crate::generate::Case;
use crate::journal_summary::format_journal;
use crate::reference::ExpectedEnd;
use crate::run_harness::{RunRecord, Scenario, Schedule};

/// Breakpoints at about one of `rarity` places.
fn breakpoints(scenario: &Scenario, seed: u64, rarity: usize) -> Vec<Breakpoint> {
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
                let scope = if rng.bool() { StopScope::Tree } else { StopScope::Branch };
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

/// The run without the events of the debugger, numbered anew.
fn undebugged(mut run: RunRecord) -> RunRecord {
    run.entries.retain(|entry| !matches!(entry.event, Event::Debug(_)));
    run.entries.iter_mut().zip(0..).for_each(|(entry, seq)| entry.seq = Some(seq));
    run
}

fn check(case: &Case) -> Result<(), TestCaseError> {
    let (scenario, _, expected) = runnable(case)?;
    // Which activations had started when a run failed depends on timing.
    if matches!(expected.end, ExpectedEnd::Failed { .. }) {
        return Err(TestCaseError::reject("fails"));
    }
    let plain = scenario.run(Schedule { seed: 0, asynchrony: 0, eager: false, stop: None });
    for (seed, rarity) in (case.seed..).zip([1, 2, 6]) {
        let schedule = Schedule { eager: false, ..Schedule::seeded(seed ^ 0xdeb) };
        let pause = fastrand::Rng::with_seed(seed).usize(1..60);
        let debugged = scenario.debug(breakpoints(&scenario, seed, rarity), pause, schedule);
        prop_assert_eq!(&debugged.ending, &plain.ending, "{}", format_journal(&debugged.entries));
        let debugged = undebugged(debugged);
        assert_same_journal(&plain, &debugged, &expected)?;
    }
    Ok(())
}

#[test]
fn journal_does_not_depend_on_stops() {
    assert_holds(150, 12, check);
}

#[test]
fn journal_of_loops_does_not_depend_on_stops() {
    assert_holds_with_loops(150, check);
}
