use std::collections::BTreeMap;

use serde_json::{Value, json};

use plait_journal::InputOverrides;
use plait_nodes::registry;
use plait_run::plan::{Plan, plan};
use plait_testing::flow_of;

fn join(names: [&str; 2]) -> Value {
    json!({ "type": "join", "config": { "names": names, "splitQuota": true } })
}

fn text() -> Value {
    json!({ "type": "text", "config": { "template": "{{value}}" } })
}

/// By node, the inputs with the branches around it, as `join.input`.
fn branches(plan: &Plan) -> BTreeMap<String, Vec<String>> {
    let input = |&(split, branch): &(usize, usize)| {
        let split = &plan.splits[split];
        let join = &plan.nodes[split.join];
        let port = &join.node.ports().inputs[split.branches[branch].input];
        format!("{}.{}", join.id, port.name)
    };
    let nodes =
        plan.nodes.iter().map(|node| (node.id.to_string(), node.branches.iter().map(input).collect()));
    nodes.collect()
}

#[test]
fn node_is_in_the_branches_of_the_inputs_that_it_alone_leads_to() {
    let nodes = json!({
        "seed": { "type": "value", "config": { "value": "s" } },
        "head": text(),
        "p": text(),
        "q": text(),
        "inner": join(["x", "y"]),
        "r": text(),
        "outer": join(["a", "b"]),
        "after": text(),
    });
    let edges = [
        "seed.value -> p.value",
        "seed.value -> r.value",
        "seed.value -> head.value",
        "head.text -> q.value",
        "p.text -> inner.x",
        "q.text -> inner.y",
        "inner.text -> outer.a",
        "r.text -> outer.b",
        "outer.text -> after.value",
    ];
    let plan = plan(&flow_of(&nodes, &edges, &json!({})), &registry(), None, &InputOverrides::new()).unwrap();
    let expected: BTreeMap<String, Vec<String>> = [
        ("seed", vec![]),
        ("head", vec!["outer.a", "inner.y"]),
        ("q", vec!["outer.a", "inner.y"]),
        ("p", vec!["outer.a", "inner.x"]),
        ("inner", vec!["outer.a"]),
        ("r", vec!["outer.b"]),
        ("outer", vec![]),
        ("after", vec![]),
    ]
    .map(|(node, inputs)| (node.to_owned(), inputs.into_iter().map(str::to_owned).collect()))
    .into();
    assert_eq!(branches(&plan), expected);
    let last = |join: &str| -> Vec<_> {
        let split = plan.splits.iter().find(|split| plan.nodes[split.join].id.as_str() == join).unwrap();
        split.branches.iter().map(|branch| branch.last.map(|last| plan.nodes[last].id.to_string())).collect()
    };
    let mut ends = [last("outer"), last("inner")].concat();
    ends.sort();
    assert_eq!(ends, ["inner", "p", "q", "r"].map(|last| Some(last.to_owned())));
}

#[test]
fn branches_that_are_fed_by_the_same_nodes_alone_split_nothing() {
    let nodes = json!({
        "seed": { "type": "value", "config": { "value": "s" } },
        "both": join(["a", "b"]),
    });
    let edges = ["seed.value -> both.a", "seed.value -> both.b"];
    let plan = plan(&flow_of(&nodes, &edges, &json!({})), &registry(), None, &InputOverrides::new()).unwrap();
    assert!(plan.splits.is_empty(), "{:?}", plan.splits);
}

/// It runs before all rounds of the cycle, so what it does not use could never return.
#[test]
fn node_outside_of_the_cycle_of_a_join_is_in_no_branch() {
    let nodes = json!({
        "seed": { "type": "value", "config": { "value": "s" } },
        "head": { "type": "text", "config": { "template": "{{value}}" }, "limits": { "maxEpochs": 3 } },
        "join": join(["x", "y"]),
        "once": text(),
    });
    let edges = [
        "seed.value -> head.value",
        "seed.value -> once.value",
        "join.text -> head.value",
        "head.text -> join.x",
        "once.text -> join.y",
    ];
    let plan = plan(&flow_of(&nodes, &edges, &json!({})), &registry(), None, &InputOverrides::new()).unwrap();
    assert!(branches(&plan).values().all(Vec::is_empty), "{:?}", branches(&plan));
}
