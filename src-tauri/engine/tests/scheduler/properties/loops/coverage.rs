//! Random flows with loops contain what the properties are about.

use std::collections::BTreeMap;

use plait_engine::flow::Flow;
use plait_engine::id::NodeId;
use proptest::prelude::*;
use proptest::strategy::ValueTree;

use super::super::{runnable, runner};
use crate::generate::{Case, case_with_loops};
use crate::journal_summary::Final;
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
    ("a loop in a loop", 60),
    ("a loop in a loop in a loop", 10),
    ("a loop whose failure is handled", 5),
    ("a loop without iterations", 10),
    ("a pause in an iteration", 20),
    ("a retry in an iteration", 10),
    ("a run that fails", 30),
    ("a run that finishes", 150),
    ("a run that waits", 5),
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
    let failed = expected.iterations.iter().any(|(at, end)| {
        let next = plait_engine::id::Activation { node: at.node.clone(), epoch: at.epoch.next() };
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
