//! Cancelling a run at any moment ends it: every node final, contexts holding whole turns only.

use plait_engine::journal::{Event, RunEnd, RunEvent};
use proptest::prelude::*;

use super::agreement::{agree, agree_in_part};
use super::{all_final, cases, playable};
use crate::generate::case;
use crate::play::{Ending, Schedule, Stop};
use crate::reading::{read, show};

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn at_any_moment(case in case(12)) {
        let Some((piece, _, expected)) = playable(&case) else { return Err(TestCaseError::reject("refused")) };
        let mut chance = fastrand::Rng::with_seed(case.seed);
        let steps = piece.play(Schedule::seeded(case.seed)).steps;
        for round in 0..6 {
            let moment = chance.usize(1..=steps + 1);
            let stop = if round % 2 == 0 { Stop::Cancel(moment) } else { Stop::CancelTwice(moment) };
            let played = piece.play(Schedule::seeded(case.seed).stop(stop));
            if played.ending != Ending::Ended(RunEnd::Canceled) {
                // It came too late.
                agree(&piece, &played, &expected)?;
                continue;
            }
            let reading = read(&played.entries).map_err(TestCaseError::fail)?;
            let is_cancelled = matches!(reading.end, Some(Event::Run(RunEvent::Canceled { .. })));
            prop_assert!(is_cancelled, "{}", show(&played.entries));
            all_final(&piece, &played, &reading)?;
            agree_in_part(&played, &reading, &expected)?;
            let length = chance.usize(1..=played.entries.len());
            let before = &played.entries[..length];
            let resumed = piece.resume(before, Schedule::seeded(chance.u64(..)));
            if before.iter().any(|entry| matches!(entry.event, Event::Run(RunEvent::Canceling))) {
                prop_assert_eq!(&resumed.ending, &Ending::Ended(RunEnd::Canceled));
                let without_times = |entries: &[plait_engine::journal::Entry]| {
                    entries.iter().map(|entry| entry.event.clone()).collect::<Vec<_>>()
                };
                prop_assert_eq!(without_times(&resumed.entries), without_times(&played.entries));
            } else {
                agree(&piece, &resumed, &expected)?;
            }
        }
    }
}
