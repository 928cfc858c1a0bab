use plait_core::flow::Flow;
use plait_journal::earlier_run::EarlierTree;
use plait_testing::{FakeProvider, flow_of};
use serde_json::{Value, json};

use super::*;
use crate::test_runs::{host, info, run_to_end};

/// A run of a flow with a model that repeats what it is asked.
fn recorded(flow: &Flow) -> RecordedRun {
    let provider = Arc::new(FakeProvider::default());
    let journal = run_to_end(flow, info(None, None), host(provider, EarlierTree::default()));
    RecordedRun::new("run".into(), &journal, Some(flow.clone()))
}

/// Each difference between two runs: the activation, and the places of those that it follows from.
fn differences(before: &Flow, after: &Flow) -> Vec<(String, Vec<usize>)> {
    let found = super::differences(&recorded(before), &recorded(after), &|_| None);
    let shown = |difference: &RunDifference| {
        let at = difference.after.as_ref().or(difference.before.as_ref()).unwrap();
        (at.at.to_string(), difference.follows.clone())
    };
    found.iter().map(shown).collect()
}

fn expected(differences: &[(&str, &[usize])]) -> Vec<(String, Vec<usize>)> {
    differences.iter().map(|(at, follows)| ((*at).to_owned(), follows.to_vec())).collect()
}

fn start() -> Value {
    json!({ "type": "contextStart", "config": { "provider": "p", "model": "m" } })
}

#[test]
fn what_a_conversation_carries_past_a_node_that_did_the_same_follows() {
    let flow = |prompt: &str| {
        flow_of(
            &json!({
                "start": start(),
                "first": { "type": "chat", "config": { "prompt": prompt } },
                "inject": { "type": "injectMessages", "config": { "messages": [{ "role": "user", "content": "Go on." }] } },
                "last": { "type": "chat", "config": { "prompt": "And now?" } },
            }),
            &[
                "start.context -> first.context",
                "first.context -> inject.context",
                "inject.context -> last.context",
            ],
            &json!({}),
        )
    };
    let found = differences(&flow("One."), &flow("Two."));
    assert_eq!(found, expected(&[("first", &[]), ("last", &[0])]));
}

#[test]
fn what_an_iteration_said_comes_before_what_the_next_one_said() {
    let flow = |prompt: &str| {
        flow_of(
            &json!({
                "start": start(),
                "rounds": { "type": "loop", "config": { "kind": "times", "times": 2 } },
                "ask": { "type": "chat", "parent": "rounds", "config": { "prompt": "Round {{index}}." } },
                "tell": { "type": "chat", "parent": "rounds", "config": { "prompt": prompt } },
                "after": { "type": "chat", "config": { "prompt": "After." } },
            }),
            &[
                "start.context -> rounds.context",
                "rounds.context -> ask.context",
                "rounds.index -> ask.index",
                "ask.context -> tell.context",
                "tell.response -> rounds.next",
                "rounds.context -> after.context",
            ],
            &json!({}),
        )
    };
    let found = differences(&flow("One."), &flow("Two."));
    let in_order: &[(&str, &[usize])] =
        &[("tell#0", &[]), ("ask#1", &[0]), ("tell#1", &[0]), ("rounds", &[0]), ("after", &[0])];
    assert_eq!(found, expected(in_order));
}

#[test]
fn an_edit_is_one_cause_in_all_iterations() {
    let flow = |template: &str| {
        flow_of(
            &json!({
                "list": { "type": "value", "config": { "value": ["a", "b", "c"] } },
                "each": { "type": "loop", "config": { "kind": "forEach" } },
                "text": { "type": "text", "parent": "each", "config": { "template": template } },
                "out": { "type": "output", "title": template },
            }),
            &[
                "list.value -> each.items",
                "each.item -> text.item",
                "text.text -> each.next",
                "each.results -> out.value",
            ],
            &json!({}),
        )
    };
    let found = differences(&flow("{{item}}"), &flow("{{item}}!"));
    // The title of `out` is no reason.
    let in_order: &[(&str, &[usize])] =
        &[("text#0", &[]), ("text#1", &[0]), ("text#2", &[0]), ("each", &[0]), ("out", &[0])];
    assert_eq!(found, expected(in_order));
}

#[test]
fn items_in_another_order_are_compared_with_themselves() {
    let run = |items: Value| {
        let flow = flow_of(
            &json!({
                "list": { "type": "value", "config": { "value": items } },
                "each": { "type": "loop", "config": { "kind": "forEach" } },
                "text": { "type": "text", "parent": "each", "config": { "template": "{{item}}" } },
            }),
            &["list.value -> each.items", "each.item -> text.item", "text.text -> each.next"],
            &json!({}),
        );
        ComparedRun { run: Arc::new(recorded(&flow)), used: TreeUsage::default() }
    };
    let compared = compare(&run(json!(["a", "b", "c", "d"])), &run(json!(["b", "c", "a", "e"])), &|_| None);
    let [list] = &compared.lists[..] else { panic!("{:#?}", compared.lists) };
    let none: &[u32] = &[];
    assert_eq!((&list.inserted[..], &list.removed[..]), (none, none));
    assert_eq!((&list.moved[..], &list.changed[..], list.unchanged), (&[2][..], &[3][..], 2));
    let differing: Vec<String> =
        compared.differences.iter().map(|found| found.after.as_ref().unwrap().at.to_string()).collect();
    assert_eq!(differing, ["list", "text#3", "each"]);

    // An item that is there twice is itself once.
    let compared = compare(&run(json!(["a", "a", "b"])), &run(json!(["b", "a", "c"])), &|_| None);
    let list = &compared.lists[0];
    assert_eq!(list.moved.len() + list.changed.len() + list.unchanged as usize, 3, "{list:#?}");
    assert_eq!((&list.inserted[..], &list.removed[..]), (none, none), "{list:#?}");
}

#[test]
fn node_that_only_the_second_run_has_stands_where_it_ran() {
    let flow = |has_node: bool| {
        let mut nodes = json!({
            "a": { "type": "value", "config": { "value": "a" } },
            "z": { "type": "text", "config": { "template": "{{value}}" } },
        });
        let mut edges = vec!["a.value -> z.value"];
        if has_node {
            nodes["between"] = json!({ "type": "text", "config": { "template": "{{value}}!" } });
            edges = vec!["a.value -> between.value", "between.text -> z.value"];
        }
        flow_of(&nodes, &edges, &json!({}))
    };
    let found = differences(&flow(false), &flow(true));
    assert_eq!(found, expected(&[("between", &[]), ("z", &[0])]));
}

#[test]
fn nodes_are_marked_and_what_they_used_is_added_up() {
    let flow = |prompt: &str, aside: &str, has_extra: bool| {
        let mut nodes = json!({
            "start": start(),
            "rounds": { "type": "loop", "config": { "kind": "times", "times": 2 } },
            "ask": { "type": "chat", "parent": "rounds", "config": { "prompt": prompt } },
            "aside": { "type": "value", "config": { "value": aside } },
            "note": { "type": "text", "config": { "template": "{{value}}" } },
        });
        let mut edges = vec![
            "start.context -> rounds.context",
            "rounds.context -> ask.context",
            "ask.response -> rounds.next",
            "aside.value -> note.value",
        ];
        let extra = if has_extra { "extra" } else { "earlier" };
        nodes[extra] = json!({ "type": "text", "config": { "template": format!("{{{{value}}}} {extra}") } });
        edges.push(if has_extra { "note.text -> extra.value" } else { "aside.value -> earlier.value" });
        flow_of(&nodes, &edges, &json!({}))
    };
    let whole = |flow: &Flow, input| {
        let tokens = TokenUsage { input, ..TokenUsage::default() };
        ComparedRun { run: Arc::new(recorded(flow)), used: TreeUsage { tokens, ..TreeUsage::default() } }
    };
    let (before, after) = (whole(&flow("One.", "a", false), 5), whole(&flow("Two.", "b", true), 7));
    let compared = compare(&before, &after, &|_| None);
    let marks: Vec<_> = compared
        .nodes
        .iter()
        .map(|found| {
            let name = |totals: &Option<NodeTotals>| totals.as_ref().map(|totals| totals.node.to_string());
            let of_difference = found.difference.map(|at| {
                let shown = &compared.differences[at];
                shown.after.as_ref().or(shown.before.as_ref()).unwrap().at.node.to_string()
            });
            let node = name(&found.after).or(name(&found.before)).unwrap();
            assert!(of_difference.is_none_or(|of| of == node), "{found:?}");
            (node, found.mark, name(&found.before).is_some(), name(&found.after).is_some())
        })
        .collect();
    let expected = [
        ("aside", NodeMark::First, true, true),
        ("ask", NodeMark::Own, true, true),
        ("extra", NodeMark::Follows, false, true),
        ("note", NodeMark::Follows, true, true),
        ("rounds", NodeMark::Follows, true, true),
        ("start", NodeMark::Same, true, true),
        ("earlier", NodeMark::Follows, true, false),
    ];
    assert_eq!(marks, expected.map(|(node, mark, old, new)| (node.to_owned(), mark, old, new)));
    let ask = compared.nodes[1].after.as_ref().unwrap();
    let of_run = after.run.view().totals.tokens;
    assert_eq!((ask.steps, ask.tokens), (2, of_run), "both rounds, and nothing else calls a model");
    assert!(of_run.input > 0);
    assert_eq!(
        (compared.before.tokens.input, compared.after.tokens.input),
        (5, 7),
        "those of the whole trees"
    );
}
