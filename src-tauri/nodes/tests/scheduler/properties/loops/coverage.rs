//! Random flows with loops contain what the properties are about.

use std::collections::BTreeMap;

use plait_core::flow::Flow;
use plait_core::id::{Activation, NodeId};
use proptest::prelude::*;
use proptest::strategy::ValueTree;

use super::super::memory::with_ordered_memory;
use super::super::{run_to_node, runnable, runner};
use crate::generate::{Case, case_with_loops};
use crate::journal_summary::{ActivationRecord, Final};
use crate::nodes::{Settings, semantics};
use crate::reference::{Expected, ExpectedEnd, FlowAnalysis};

const FLOWS: u32 = 600;

/// What random flows must reach, and in how many of [`FLOWS`] at least.
const REQUIRED: &[(&str, u32)] = &[
    ("a context in iterations", 60),
    ("a cycle around a loop", 10),
    ("a cycle in a body", 60),
    ("a failed iteration after which the loop goes on", 5),
    ("a flow that runs", 300),
    ("a forEach loop with several iterations", 40),
    ("a loop at its limit", 30),
    ("a loop that a node inside ends", 10),
    ("a loop in a loop", 60),
    ("a loop in a loop in a loop", 10),
    ("a loop whose failure is handled", 5),
    ("a loop without iterations", 10),
    ("a pause in an iteration", 20),
    ("a retry in an iteration", 10),
    ("a result of an iteration", 15),
    ("a result of an iteration that does not count", 3),
    ("a run that fails", 30),
    ("a run that finishes", 150),
    ("a run that waits", 5),
    ("a memory that an iteration adds to", 30),
    ("a memory that a discarded iteration would add to", 5),
    ("a node to run to behind a loop", 30),
    ("a node to run to in a loop", 100),
    ("an answered pause in an iteration", 10),
    ("an edge into a body from outside", 200),
    ("an edge into an inner body from outside", 40),
];

#[test]
fn random_flows_with_loops_cover_every_feature() {
    let mut runner = runner(1);
    let strategy = case_with_loops();
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    for _ in 0..FLOWS {
        let case = strategy.new_tree(&mut runner).unwrap().current();
        let case = with_ordered_memory(&case).unwrap_or(case);
        match runnable(&case) {
            Ok((_, analysis, expected)) => {
                let found = features(&case, &analysis, &expected);
                let found = found.into_iter().filter(|(_, is_there)| *is_there).map(|(what, _)| what);
                found.for_each(|what| *seen.entry(what).or_default() += 1);
            }
            Err(TestCaseError::Reject(_)) => {}
            Err(TestCaseError::Fail(why)) => panic!("{why}{case:?}"),
        }
    }
    println!("{seen:#?}");
    for (what, least) in REQUIRED {
        let times = seen.get(what).copied().unwrap_or_default();
        assert!(times >= *least, "only {times} of {FLOWS} random flows have {what}, not {least}");
    }
}

/// How many loops are around a node.
fn depth(flow: &Flow, id: &NodeId) -> usize {
    std::iter::successors(flow.nodes[id].parent.as_ref(), |id| flow.nodes[*id].parent.as_ref()).count()
}

fn settings(flow: &Flow, at: &Activation) -> Settings {
    serde_json::from_value(flow.nodes[&at.node].config.clone().into()).unwrap()
}

fn features(case: &Case, analysis: &FlowAnalysis, expected: &Expected) -> Vec<(&'static str, bool)> {
    let flow = &case.flow;
    let is_loop = |id: &NodeId| flow.nodes[id].node_type == "loop";
    let loops = || flow.nodes.keys().filter(|id| is_loop(id));
    let enters = |least: usize| {
        flow.edges.values().any(|edge| {
            let (from, to) = (depth(flow, &edge.source), depth(flow, &edge.target));
            !is_loop(&edge.source) && to >= from + least
        })
    };
    let iterations = |id: &NodeId| expected.iterations.keys().filter(|at| at.node == *id).count();
    let kind = |id: &NodeId| flow.nodes[id].config.get("kind").and_then(|kind| kind.as_str());
    let inside = || expected.activations.iter().filter(|(at, _)| depth(flow, &at.node) > 0);
    let of_type = |id: &NodeId, kinds: &[&str]| kinds.contains(&flow.nodes[id].node_type.as_str());
    let mut scopes = analysis.scopes().into_iter();
    let root = scopes.next().unwrap();
    let in_cycle = |id: &NodeId| root.clocks().get(id).is_some_and(|(counters, _)| *counters > 0);
    let has_result = |all: &BTreeMap<Activation, ActivationRecord>| {
        let mut inside = all.iter().filter(|(at, _)| depth(flow, &at.node) > 0);
        let is_result = |at: &Activation| of_type(&at.node, &["result"]);
        inside.any(|(at, record)| is_result(at) && matches!(record.end, Some(Final::Finished(_))))
    };
    let is_behind_loop =
        |id: &NodeId| depth(flow, id) == 0 && run_to_node::before(flow, id).iter().any(is_loop);
    let remembers = |all: &BTreeMap<Activation, ActivationRecord>| {
        let mut inside = all.iter().filter(|(at, _)| depth(flow, &at.node) > 0);
        inside.any(|(at, record)| record.seen.is_some() && settings(flow, at).memory == "write")
    };
    let failed = expected.iterations.iter().any(|(at, end)| {
        let next = Activation { node: at.node.clone(), epoch: at.epoch.next() };
        *end == Some(false) && expected.iterations.contains_key(&next)
    });
    vec![
        ("a flow that runs", true),
        ("a loop in a loop", loops().any(|id| depth(flow, id) == 1)),
        ("a loop in a loop in a loop", loops().any(|id| depth(flow, id) == 2)),
        ("a cycle around a loop", loops().any(in_cycle)),
        ("a cycle in a body", scopes.any(|scope| !scope.back_edges().is_empty())),
        ("an edge into a body from outside", enters(1)),
        ("an edge into an inner body from outside", enters(2)),
        (
            "a forEach loop with several iterations",
            loops().any(|id| kind(id) == Some("forEach") && iterations(id) > 1),
        ),
        ("a loop at its limit", expected.exhausted.iter().any(|at| is_loop(&at.node))),
        (
            "a loop without iterations",
            loops().any(|id| iterations(id) == 0 && expected.activations.keys().any(|at| at.node == *id)),
        ),
        (
            "a loop whose failure is handled",
            expected.activations.iter().any(|(at, record)| {
                is_loop(&at.node) && matches!(record.end, Some(Final::Failed { handled: true, .. }))
            }),
        ),
        ("a failed iteration after which the loop goes on", failed),
        (
            "a loop that a node inside ends",
            inside().any(|(at, record)| {
                of_type(&at.node, &["finish"])
                    && record.end.is_some()
                    && semantics::finishes(&settings(flow, at), at)
            }),
        ),
        ("a result of an iteration", has_result(&expected.activations)),
        ("a result of an iteration that does not count", has_result(&expected.in_part)),
        ("a node to run to in a loop", depth(flow, &run_to_node::target(case)) > 0),
        ("a node to run to behind a loop", is_behind_loop(&run_to_node::target(case))),
        ("a memory that an iteration adds to", remembers(&expected.activations)),
        ("a memory that a discarded iteration would add to", remembers(&expected.in_part)),
        ("a context in iterations", inside().any(|(at, _)| of_type(&at.node, &["turn", "guest"]))),
        ("a pause in an iteration", inside().any(|(_, record)| record.pauses > 0)),
        (
            "an answered pause in an iteration",
            inside().any(|(_, record)| record.pauses > 0 && record.end.is_some()),
        ),
        ("a retry in an iteration", inside().any(|(_, record)| record.attempts > 1)),
        ("a run that finishes", matches!(expected.end, ExpectedEnd::Finished { .. })),
        ("a run that fails", matches!(expected.end, ExpectedEnd::Failed { .. })),
        ("a run that waits", matches!(expected.end, ExpectedEnd::Waiting { .. })),
    ]
}
