//! The same flow, inputs and answers give the same journal at any parallelism and under any schedule, but for times and
//! the interleaving of independent branches.

use std::sync::Arc;

use proptest::prelude::*;

use super::{cases, playable};
use crate::generate::{Case, case};
use crate::play::{Piece, Played, Schedule};
use crate::reading::{by_node, read, show};
use crate::reference::Verdict;

fn at_once(case: &Case, concurrency: usize) -> Piece {
    let mut piece = case.piece(case.plan().unwrap());
    Arc::get_mut(&mut piece.plan).unwrap().max_concurrency = concurrency;
    piece
}

/// Two runs told the same of every node, in the same order, and left the same contexts.
fn same(one: &Played, other: &Played) -> Result<(), TestCaseError> {
    let journals = || format!("{}\n{}", show(&one.entries), show(&other.entries));
    let (ours, theirs) = (by_node(&one.entries), by_node(&other.entries));
    for (node, events) in &ours {
        prop_assert_eq!(Some(events), theirs.get(node), "{}\n{}", node, journals());
    }
    prop_assert_eq!(ours.len(), theirs.len());
    let read = |played: &Played| read(&played.entries).map_err(TestCaseError::fail);
    let (ours, theirs) = (read(one)?, read(other)?);
    prop_assert_eq!(ours.contexts, theirs.contexts, "{}", journals());
    prop_assert_eq!(ours.end, theirs.end, "{}", journals());
    Ok(())
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn the_journal_does_not_depend_on_the_schedule(case in case(12)) {
        let Some((_, _, expected)) = playable(&case) else { return Err(TestCaseError::reject("refused")) };
        // What had begun when a run failed is a matter of time; that is held to the reference instead.
        if matches!(expected.verdict, Verdict::Failed { .. }) {
            return Err(TestCaseError::reject("fails"));
        }
        let plain = Schedule { seed: 0, asynchrony: 0, eager: false, stop: None };
        let first = at_once(&case, 1).play(plain);
        for (seed, concurrency) in (case.seed..).zip([1, 2, 3, 16]).map(|(seed, many)| (seed ^ 0x5eed, many)) {
            let schedule = Schedule::seeded(seed);
            let piece = at_once(&case, concurrency);
            let patient = piece.play(Schedule { eager: false, ..schedule });
            same(&first, &patient)?;
            let waiting = |played: &Played| read(&played.entries).map(|reading| reading.waiting);
            prop_assert_eq!(waiting(&first), waiting(&patient));
            same(&first, &piece.play(Schedule { eager: true, ..schedule }))?;
        }
    }
}
