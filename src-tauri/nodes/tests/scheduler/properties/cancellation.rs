//! Canceling a run at any step ends it: every node has a final state, and contexts contain only whole turns.

use plait_journal::{Entry, Event, RunEnd, RunEvent};
use proptest::prelude::*;

use super::matches_reference::{assert_matches, assert_matches_in_part};
use super::{assert_all_final, assert_holds, runnable};
use crate::generate::Case;
use crate::journal_summary::{format_journal, summarize};
use crate::run_harness::{Ending, Schedule, Stop};

#[test]
fn cancel_at_any_step_ends_the_run() {
    assert_holds(150, 12, check_cancel_at_any_step_ends_the_run);
}

pub fn check_cancel_at_any_step_ends_the_run(case: &Case) -> Result<(), TestCaseError> {
    let (scenario, _, expected) = runnable(case)?;
    let mut rng = fastrand::Rng::with_seed(case.seed);
    let steps = scenario.run(Schedule::seeded(case.seed)).steps;
    for attempt in 0..6 {
        let moment = rng.usize(1..=steps + 1);
        let stop = if attempt % 2 == 0 { Stop::Cancel(moment) } else { Stop::CancelTwice(moment) };
        let run = scenario.run(Schedule::seeded(case.seed).stop(stop));
        if run.ending != Ending::Ended(RunEnd::Canceled) {
            // It came too late.
            assert_matches(&scenario, &run, &expected)?;
            continue;
        }
        let summary = summarize(&run.entries).map_err(TestCaseError::fail)?;
        let is_cancelled = matches!(summary.end, Some(Event::Run(RunEvent::Canceled { .. })));
        prop_assert!(is_cancelled, "{}", format_journal(&run.entries));
        assert_all_final(&scenario, &run, &summary)?;
        assert_matches_in_part(&run, &summary, &expected)?;
        let length = rng.usize(1..=run.entries.len());
        let before = &run.entries[..length];
        let resumed = scenario.resume(before, Schedule::seeded(rng.u64(..)));
        if before.iter().any(|entry| matches!(entry.event, Event::Run(RunEvent::Canceling))) {
            prop_assert_eq!(&resumed.ending, &Ending::Ended(RunEnd::Canceled));
            prop_assert_eq!(events(&resumed.entries), events(&run.entries));
        } else {
            assert_matches(&scenario, &resumed, &expected)?;
        }
    }
    Ok(())
}

/// The events of a journal, without times.
fn events(entries: &[Entry]) -> Vec<&Event> {
    entries.iter().map(|entry| &entry.event).collect()
}
