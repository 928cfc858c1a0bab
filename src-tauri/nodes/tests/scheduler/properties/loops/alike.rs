//! What must not change what a loop does: how many iterations of a `forEach` are open at once, a loop of one iteration around its
//! body, and whether it is folded.

use std::collections::BTreeMap;

use plait_core::Value;
use plait_core::flow::{Flow, Node};
use plait_core::id::{EdgeId, NodeId, PortName};
use proptest::prelude::*;
use serde_json::json;

use super::super::matches_reference::final_outputs;
use super::super::{assert_holds_with_loops, runnable};
use crate::generate::Case;
use crate::journal_summary::{format_journal, summarize};
use crate::notation::edge;
use crate::reference::ExpectedEnd;
use crate::run_harness::{RunRecord, Schedule};

type Outputs = BTreeMap<NodeId, BTreeMap<PortName, Value>>;

fn run(case: &Case) -> Result<RunRecord, TestCaseError> {
    let plan = case.plan().map_err(|found| TestCaseError::fail(format!("refused: {found:?}")))?;
    Ok(case.scenario(plan).run(Schedule::seeded(case.seed)))
}

fn outputs(run: &RunRecord) -> Result<Outputs, TestCaseError> {
    Ok(final_outputs(&summarize(&run.entries).map_err(TestCaseError::fail)?))
}

fn finished(case: &Case) -> Result<RunRecord, TestCaseError> {
    let (_, _, expected) = runnable(case)?;
    match expected.end {
        ExpectedEnd::Finished { .. } => run(case),
        _ => Err(TestCaseError::reject("does not finish")),
    }
}

#[test]
fn concurrency_changes_no_result() {
    assert_holds_with_loops(80, check_concurrency_changes_no_result);
}

fn check_concurrency_changes_no_result(case: &Case) -> Result<(), TestCaseError> {
    let original = finished(case)?;
    for concurrency in [1, 16] {
        let mut changed = case.clone();
        let mut is_there = false;
        for node in changed.flow.nodes.values_mut() {
            if node.config.get("kind") == Some(&json!("forEach")) {
                is_there = true;
                node.config.insert("concurrency".to_owned(), json!(concurrency));
            }
        }
        if !is_there {
            return Err(TestCaseError::reject("no forEach"));
        }
        if !matches!(runnable(&changed)?.2.end, ExpectedEnd::Finished { .. }) {
            return Err(TestCaseError::reject("does not finish"));
        }
        let run = run(&changed)?;
        let journals = || {
            format!("{}\n{concurrency}\n{}", format_journal(&original.entries), format_journal(&run.entries))
        };
        prop_assert_eq!(outputs(&original)?, outputs(&run)?, "{}", journals());
        let contexts = |run: &RunRecord| summarize(&run.entries).map(|summary| summary.contexts);
        let (ours, theirs) = (contexts(&original).unwrap(), contexts(&run).unwrap());
        // What an iteration makes and is stopped in counts nowhere.
        let outside = |id: &plait_core::id::ContextId| !id.as_str().contains('#');
        let of_flow = |all: BTreeMap<_, _>| all.into_iter().filter(|(id, _)| outside(id)).collect::<Vec<_>>();
        prop_assert_eq!(of_flow(ours), of_flow(theirs), "{}", journals());
    }
    Ok(())
}

/// The layout is no part of what runs: a loop does the same folded.
#[test]
fn folding_changes_nothing() {
    assert_holds_with_loops(30, |case| {
        let original = finished(case)?;
        let mut folded = case.clone();
        for id in case.flow.nodes.keys() {
            folded.flow.layout.entry(id.clone()).or_default().folded = true;
        }
        prop_assert_eq!(outputs(&original)?, outputs(&run(&folded)?)?);
        Ok(())
    });
}

/// Values of these tests depend on the epoch that they are made in, so these flows are of the engine's own nodes.
fn engine_flow(nodes: &Value, edges: &[(&str, &str, &str, &str)]) -> Case {
    let mut case = Case::written("");
    for (id, node) in nodes.as_object().unwrap() {
        let node: Node = serde_json::from_value(node.clone()).unwrap();
        case.flow.nodes.insert(id.as_str().into(), node);
    }
    for (at, (source, output, target, input)) in edges.iter().enumerate() {
        case.flow
            .edges
            .insert(EdgeId::from(format!("e{at:02}").as_str()), edge(source, output, target, input));
    }
    case
}

fn result(case: &Case) -> Value {
    let outputs = outputs(&run(case).unwrap()).unwrap();
    outputs[&NodeId::from("out")][&PortName::from("text")].clone()
}

fn text(template: &str) -> Value {
    json!({ "type": "text", "config": { "template": template } })
}

fn put_in(flow: &mut Flow, id: &str, parent: &str) {
    flow.nodes.get_mut(&NodeId::from(id)).unwrap().parent = Some(parent.into());
}

#[test]
fn loop_of_one_iteration_does_what_its_body_does() {
    let nodes = json!({
        "seed": { "type": "value", "config": { "value": "s" } },
        "first": text("({{value}})"),
        "second": text("[{{value}}{{seed}}]"),
        "out": text("{{value}}!"),
    });
    let plain = engine_flow(
        &nodes,
        &[
            ("seed", "value", "first", "value"),
            ("first", "text", "second", "value"),
            ("seed", "value", "second", "seed"),
            ("second", "text", "out", "value"),
        ],
    );
    let mut looped = engine_flow(
        &nodes,
        &[
            ("seed", "value", "l", "input"),
            ("l", "previous", "first", "value"),
            ("first", "text", "second", "value"),
            ("seed", "value", "second", "seed"),
            ("second", "text", "l", "next"),
            ("l", "result", "out", "value"),
        ],
    );
    let repeats = json!({ "type": "loop", "config": { "kind": "times", "times": 1 } });
    looped.flow.nodes.insert("l".into(), serde_json::from_value(repeats.clone()).unwrap());
    put_in(&mut looped.flow, "first", "l");
    put_in(&mut looped.flow, "second", "l");
    assert_eq!(result(&plain), json!("[(s)s]!"));
    assert_eq!(result(&looped), result(&plain));
}

#[test]
fn loop_of_one_iteration_around_a_body_changes_nothing() {
    let mut nodes = json!({
        "seed": { "type": "value", "config": { "value": "s" } },
        "l": { "type": "loop", "config": { "kind": "times", "times": 3 } },
        "body": text("{{value}}{{seed}}"),
        "out": text("{{value}}!"),
    });
    let mut plain = engine_flow(
        &nodes,
        &[
            ("seed", "value", "l", "input"),
            ("l", "previous", "body", "value"),
            ("seed", "value", "body", "seed"),
            ("body", "text", "l", "next"),
            ("l", "result", "out", "value"),
        ],
    );
    put_in(&mut plain.flow, "body", "l");
    nodes["inner"] = json!({ "type": "loop", "config": { "kind": "times", "times": 1 } });
    let mut wrapped = engine_flow(
        &nodes,
        &[
            ("seed", "value", "l", "input"),
            ("l", "previous", "inner", "input"),
            ("inner", "previous", "body", "value"),
            ("seed", "value", "body", "seed"),
            ("body", "text", "inner", "next"),
            ("inner", "result", "l", "next"),
            ("l", "result", "out", "value"),
        ],
    );
    put_in(&mut wrapped.flow, "inner", "l");
    put_in(&mut wrapped.flow, "body", "inner");
    assert_eq!(result(&plain), json!("ssss!"));
    assert_eq!(result(&wrapped), result(&plain));
}
