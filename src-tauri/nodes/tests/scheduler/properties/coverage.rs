//! Random flows contain what the properties are about; otherwise the properties might hold trivially.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree;

use super::run_to_node::{ancestors, target};
use super::{runnable, runner};
use crate::generate::case;
use crate::journal_summary::Final;
use crate::reference::{FlowAnalysis, features};

const FLOWS: u32 = 1_000;

/// What random flows must reach, and in how many of [`FLOWS`] at least.
const REQUIRED: &[(&str, u32)] = &[
    ("a call to the outside", 34),
    ("a context named at run time", 2),
    ("a context named by a value", 1),
    ("a context named by an override", 2),
    ("a context named by its maker", 25),
    ("a context named in settings", 8),
    ("a context shared inside a cycle", 7),
    ("a context shared with a follower", 5),
    ("a context that is not there yet", 1),
    ("a cycle", 103),
    ("a cycle in which nobody is asked for too long", 6),
    ("a cycle nested twice", 2),
    ("a cycle that feeds a cycle", 3),
    ("a flow that runs", 196),
    ("a follower", 74),
    ("a follower of a nested cycle", 7),
    ("a follower that feeds a cycle", 7),
    ("a follower that makes a context", 17),
    ("a further iteration", 51),
    ("a handled failure", 10),
    ("a history of several turns", 12),
    ("a nested cycle", 15),
    ("a port that collects", 13),
    ("a portal", 69),
    ("a question asked again", 15),
    ("a refused flow", 51),
    ("a retry that helped", 14),
    ("a run that fails", 18),
    ("a run that finishes", 170),
    ("a run that waits", 7),
    ("a run to a node in a cycle", 69),
    ("a run to a node that would finish again", 31),
    ("a shared context", 24),
    ("a skipped activation", 67),
    ("a skipped pause in a cycle that goes on", 10),
    ("a value of a later iteration that feeds a cycle", 3),
    ("an answered pause", 59),
    ("an exhausted cycle", 70),
    ("an inner bound after which the outer cycle goes on", 5),
    ("an override", 11),
    ("two edges of a node into an input", 144),
    ("two cycles in sequence in a cycle", 1),
    ("two live edges of a node into an input", 2),
];

#[test]
fn random_flows_cover_every_feature() {
    let mut runner = runner(1);
    let strategy = case(12);
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    let mut see = |what: &'static str| *seen.entry(what).or_default() += 1;
    for _ in 0..FLOWS {
        let case = strategy.new_tree(&mut runner).unwrap().current();
        match runnable(&case) {
            Ok((_, analysis, expected)) => {
                see("a flow that runs");
                features(&analysis, &case.overrides, &expected).into_iter().for_each(&mut see);
            }
            Err(TestCaseError::Reject(why)) if why.message() == "refused" => see("a refused flow"),
            Err(TestCaseError::Reject(_)) => see("a flow that takes too long"),
            Err(TestCaseError::Fail(why)) => panic!("{why}{case:?}"),
        }
        let target = target(&case);
        let Ok(analysis) = FlowAnalysis::with_overrides(&ancestors(&case, &target), &case.overrides) else {
            continue;
        };
        let Ok(expected) = super::expected(&case, &analysis) else { continue };
        let mut finishes = expected
            .activations
            .iter()
            .filter(|(at, record)| at.node == target && matches!(record.end, Some(Final::Finished(_))));
        let is_in_cycle = analysis.clocks()[&target] != (0, false);
        if is_in_cycle && finishes.next().is_some() {
            see("a run to a node in a cycle");
            if finishes.next().is_some() {
                see("a run to a node that would finish again");
            }
        }
    }
    println!("{seen:#?}");
    for (what, least) in REQUIRED {
        let times = seen.get(what).copied().unwrap_or_default();
        assert!(times >= *least, "only {times} of {FLOWS} random flows have {what}, not {least}");
    }
}
