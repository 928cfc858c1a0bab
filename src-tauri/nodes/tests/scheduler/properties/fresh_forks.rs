//! A fork that does an activation again buys what that one bought and all that its values led to, and nothing that led to it. One that
//! does it again alone buys what that one bought, and nothing else while the replies are the same.

use std::collections::{BTreeMap, BTreeSet};

use plait_core::id::Activation;
use plait_journal::{Entry, Event, FreshFrom, NodeEvent};
use proptest::prelude::*;

use super::matches_reference::{assert_matches, is_in_broken_iteration};
use super::resuming::on_record;
use super::{assert_holds, assert_holds_with_loops, runnable};
use crate::generate::Case;
use crate::journal_summary::{at, format_journal};
use crate::reference::ExpectedEnd;
use crate::run_harness::Schedule;

/// By activation: where the values on its inputs came from.
type Sources = BTreeMap<Activation, BTreeSet<Activation>>;

fn sources_in(entries: &[Entry]) -> Sources {
    let mut sources = Sources::new();
    for entry in entries {
        if let Event::Node(Activation { node, epoch }, NodeEvent::Ready { inputs }) = &entry.event {
            let found = inputs.values().flatten().map(|source| at(&source.node, &source.epoch));
            sources.entry(at(node, epoch)).or_default().extend(found);
        }
    }
    sources
}

/// What led to an activation.
fn led_to(sources: &Sources, activation: &Activation) -> BTreeSet<Activation> {
    let mut open = vec![activation];
    let mut found = BTreeSet::new();
    while let Some(next) = open.pop() {
        for source in sources.get(next).into_iter().flatten() {
            if found.insert(source.clone()) {
                open.push(source);
            }
        }
    }
    found
}

fn check_fresh_activation_buys_what_follows(case: &Case) -> Result<(), TestCaseError> {
    let (scenario, _, expected) = runnable(case)?;
    let mut rng = fastrand::Rng::with_seed(case.seed);
    let whole = scenario.run(Schedule::seeded(rng.u64(..)));
    let mut calls = on_record(&whole.entries);
    // How far an iteration came that failed or was stopped depends on timing.
    calls.retain(|(at, _)| !is_in_broken_iteration(at, &expected));
    let is_failed = matches!(expected.end, ExpectedEnd::Failed { .. });
    let sources = sources_in(&whole.entries);
    let callers: BTreeSet<Activation> = calls.iter().map(|(at, _)| at.clone()).collect();
    for start in rng.choose_multiple(callers.iter(), 4) {
        let is_whole_node = rng.bool();
        let fresh = FreshFrom {
            node: start.node.clone(),
            epoch: (!is_whole_node).then(|| start.epoch.clone()),
            inside: None,
            alone: rng.bool(),
        };
        let is_start = |at: &Activation| at == start || is_whole_node && at.node == start.node;
        let fork = scenario.fork_without(&whole.entries, &fresh, Schedule::seeded(rng.u64(..)));
        assert_matches(&scenario, &fork, &expected)?;
        let before = led_to(&sources, start);
        for call in &calls {
            let is_bought = fork.external_calls.calls.contains(call);
            // How far other branches came when the run failed depends on timing.
            let follows = is_start(&call.0) || !fresh.alone && led_to(&sources, &call.0).iter().any(is_start);
            prop_assert!(
                is_bought || !follows || is_failed,
                "{:?} is not bought for {:?}\n{}",
                call,
                fresh,
                format_journal(&fork.entries)
            );
            let leads =
                if fresh.alone { !is_start(&call.0) } else { before.contains(&call.0) && !is_whole_node };
            prop_assert!(
                !is_bought || !leads,
                "{:?} is bought for {:?}\n{}",
                call,
                fresh,
                format_journal(&fork.entries)
            );
        }
    }
    Ok(())
}

#[test]
fn fresh_activation_buys_what_follows() {
    assert_holds(500, 14, check_fresh_activation_buys_what_follows);
}

#[test]
fn fresh_activation_in_loops_buys_what_follows() {
    assert_holds_with_loops(400, check_fresh_activation_buys_what_follows);
}
