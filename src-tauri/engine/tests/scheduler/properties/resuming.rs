//! Resuming from any prefix of a journal gives the same end as never having stopped: no effect twice, no message twice.

use std::collections::BTreeSet;

use plait_engine::id::Activation;
use plait_engine::journal::{CallEvent, Entry, Event, NodeEvent};
use proptest::prelude::*;

use super::agreement::agree;
use super::{cases, playable};
use crate::generate::case;
use crate::play::{Ending, Piece, Played, Schedule, Stop};
use crate::reading::{at, show};
use crate::reference::{Expected, Verdict};

/// What a journal has on record of the outside.
fn on_record(entries: &[Entry]) -> BTreeSet<(Activation, u32)> {
    let recorded = |entry: &Entry| match &entry.event {
        Event::Call(Activation { node, epoch }, CallEvent::ModelReplied { step, .. }) => {
            Some((at(node, epoch), *step))
        }
        _ => None,
    };
    entries.iter().filter_map(recorded).collect()
}

/// A run that went on from `before` came to the end it must, and made no call that was on record.
fn resumed_well(
    piece: &Piece,
    before: &[Entry],
    played: &Played,
    expected: &Expected,
) -> Result<(), TestCaseError> {
    prop_assert!(played.entries.starts_with(before), "what is written stays\n{}", show(&played.entries));
    agree(piece, played, expected).map_err(|error| match error {
        TestCaseError::Fail(why) => TestCaseError::fail(format!("resumed after {}: {why}", before.len())),
        reject @ TestCaseError::Reject(_) => reject,
    })?;
    calls_once(on_record(before), played, expected)
}

fn calls_once(
    mut made: BTreeSet<(Activation, u32)>,
    played: &Played,
    expected: &Expected,
) -> Result<(), TestCaseError> {
    for call in &played.outside.calls {
        prop_assert!(made.insert(call.clone()), "{:?} is called again\n{}", call, show(&played.entries));
    }
    if !matches!(expected.verdict, Verdict::Failed { .. }) {
        let all =
            expected.calls.iter().flat_map(|(at, steps)| (0..*steps).map(move |step| (at.clone(), step)));
        prop_assert_eq!(made, all.collect::<BTreeSet<_>>(), "{}", show(&played.entries));
    }
    Ok(())
}

/// The prefixes to try: all of a small journal, some of a large one.
fn prefixes(length: usize, chance: &mut fastrand::Rng) -> Vec<usize> {
    if length <= 40 { (1..=length).collect() } else { (0..16).map(|_| chance.usize(1..=length)).collect() }
}

proptest! {
    #![proptest_config(cases(80))]

    #[test]
    fn from_any_prefix(case in case(10)) {
        let Some((piece, _, expected)) = playable(&case) else { return Err(TestCaseError::reject("refused")) };
        let mut chance = fastrand::Rng::with_seed(case.seed);
        let whole = piece.play(Schedule::seeded(chance.u64(..)));
        for length in prefixes(whole.entries.len(), &mut chance) {
            let before = &whole.entries[..length];
            let played = piece.resume(before, Schedule::seeded(chance.u64(..)));
            resumed_well(&piece, before, &played, &expected)?;
        }
    }

    #[test]
    fn after_one_crash_upon_another(case in case(12)) {
        let Some((piece, _, expected)) = playable(&case) else { return Err(TestCaseError::reject("refused")) };
        let mut chance = fastrand::Rng::with_seed(case.seed);
        let mut entries = piece.play(Schedule::seeded(chance.u64(..))).entries;
        for _ in 0..6 {
            entries.truncate(chance.usize(1..=entries.len()));
            let played = piece.resume(&entries, Schedule::seeded(chance.u64(..)));
            resumed_well(&piece, &entries, &played, &expected)?;
            entries = played.entries;
        }
    }

    /// A crash loses at most what was not flushed; and what was bought, or answered, was flushed before anybody acted on it.
    #[test]
    fn after_a_crash_that_loses_what_was_not_flushed(case in case(12)) {
        let Some((piece, _, expected)) = playable(&case) else { return Err(TestCaseError::reject("refused")) };
        let mut chance = fastrand::Rng::with_seed(case.seed);
        let steps = piece.play(Schedule::seeded(case.seed)).steps;
        for _ in 0..6 {
            let stop = Stop::Crash(chance.usize(1..=steps));
            let mut crashed = piece.play(Schedule::seeded(case.seed).stop(stop));
            if crashed.ending != Ending::Crashed {
                continue;
            }
            let left = chance.usize(crashed.flushed..=crashed.entries.len());
            crashed.entries.truncate(left);
            let recorded = on_record(&crashed.entries);
            for call in &crashed.outside.safe {
                prop_assert!(recorded.contains(call), "{:?} was not safe\n{}", call, show(&crashed.entries));
            }
            for activation in &crashed.acknowledged {
                let kept = crashed.entries.iter().any(|entry| matches!(
                    &entry.event, Event::Node(Activation { node, epoch }, NodeEvent::Answered { .. }) if at(node, epoch) == *activation
                ));
                prop_assert!(kept, "the answer of {} was not safe\n{}", activation, show(&crashed.entries));
            }
            if left > 0 {
                let played = piece.resume(&crashed.entries, Schedule::seeded(chance.u64(..)));
                resumed_well(&piece, &crashed.entries, &played, &expected)?;
            }
        }
    }

    /// A journal that takes no more stops the run at once, with its fault; and the run goes on from what was written.
    #[test]
    fn after_the_disk_was_full(case in case(10)) {
        let Some((piece, _, expected)) = playable(&case) else { return Err(TestCaseError::reject("refused")) };
        let mut chance = fastrand::Rng::with_seed(case.seed);
        let length = piece.play(Schedule::seeded(case.seed)).entries.len();
        for _ in 0..4 {
            let stop = Stop::DiskFull(chance.usize(1..length.max(2)));
            let broken = piece.play(Schedule::seeded(case.seed).stop(stop));
            if let Ending::Broken(fault) = &broken.ending {
                prop_assert_eq!(&fault.code, "test.disk_full");
                if !broken.entries.is_empty() {
                    let played = piece.resume(&broken.entries, Schedule::seeded(chance.u64(..)));
                    resumed_well(&piece, &broken.entries, &played, &expected)?;
                }
            }
        }
    }
}
