//! Rules that the window computes itself, since it draws or checks while a person types or drags. Each has vectors in
//! `tests/fixtures/rules`: cases written by hand, with the result that Rust gives. `ui/src/shell/rules.vectors.test.ts` holds
//! the window to the same results.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use plait_api::conversations::ConversationFlow;
use plait_api::runs::answer_text::{answer_choices, parse_answer};
use plait_api::{from_window_json, to_window_json};
use plait_core::diagnostic::Diagnostic;
use plait_core::exact_json;
use plait_core::flow::Flow;
use plait_core::id::Epoch;
use plait_llm::context::Content;
use plait_llm::models::Cost;
use plait_run::plan::check;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::node_page::heading_anchor;
use crate::{REPOSITORY, compare};

/// Fills in the results of a file's cases.
fn check_vectors(name: &str, result: impl Fn(&Value) -> Value) {
    let path = format!("tests/fixtures/rules/{name}.json");
    let text = std::fs::read_to_string(Path::new(REPOSITORY).join(&path)).unwrap();
    let mut cases: Vec<Value> = serde_json::from_str(&text).unwrap();
    for case in &mut cases {
        case["result"] = result(&*case);
    }
    compare(&path, &(serde_json::to_string_pretty(&cases).unwrap() + "\n"));
}

fn read<T: DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap()
}

/// Which outputs of a flow may be connected to which inputs. The result has the ports of the nodes, too, as the window gets them.
#[test]
fn edges() {
    let registry = plait_nodes::registry();
    check_vectors("edges", |case| {
        let flow: Flow = read(&case["flow"]);
        let ports = check(&flow, &registry).ports;
        let mut allowed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (source, of_source) in &ports {
            for output in of_source.outputs.iter().chain(&of_source.inner_outputs) {
                let to = allowed.entry(format!("{source}.{}", output.name)).or_default();
                for (target, of_target) in &ports {
                    for input in of_target.inputs.iter().chain(&of_target.inner_inputs) {
                        let edge = json!({
                            "source": source, "sourceOutput": output.name,
                            "target": target, "targetInput": input.name,
                        });
                        let mut with_edge = flow.clone();
                        with_edge.edges.insert("new".into(), read(&edge));
                        if !check(&with_edge, &registry).diagnostics.iter().any(refuses_edge) {
                            to.insert(format!("{target}.{}", input.name));
                        }
                    }
                }
            }
        }
        allowed.retain(|_, to| !to.is_empty());
        json!({ "allowed": allowed, "ports": without_descriptions(json!(ports)) })
    });
}

/// Whether a finding is about the ends of an edge, and not about the rest of the flow.
fn refuses_edge(found: &Diagnostic) -> bool {
    found.code.as_str().starts_with("edge.") || found.code.as_str() == "loop.side_exit"
}

fn without_descriptions(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(without_descriptions).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .filter(|(name, _)| name != "description")
            .map(|(name, inner)| (name, without_descriptions(inner)))
            .collect(),
        other => other,
    }
}

#[test]
fn costs() {
    check_vectors("costs", |case| json!(read::<Cost>(&case["cost"]).to_string()));
}

/// RFC 7396, as `settings.change` applies it.
#[test]
fn merge_patches() {
    check_vectors("merge-patches", |case| {
        let mut document = case["document"].clone();
        json_patch::merge(&mut document, &case["patch"]);
        document
    });
}

/// JSON that a person types, and how it travels. The result is null if the text is refused.
#[test]
fn large_integers() {
    check_vectors("large-integers", |case| {
        let Ok(value) = exact_json::parse(case["text"].as_str().unwrap()) else { return Value::Null };
        let sent: Value = serde_json::from_str(&to_window_json(&value).unwrap()).unwrap();
        assert_eq!(from_window_json(sent.clone()), value);
        sent
    });
}

/// The order of epochs is the order of time.
#[test]
fn epochs() {
    check_vectors("epochs", |case| {
        let mut epochs: Vec<Epoch> = read(&case["epochs"]);
        epochs.sort();
        json!(epochs)
    });
}

#[test]
fn conversation_flows() {
    check_vectors("conversation-flows", |case| json!(read::<ConversationFlow>(&case["flow"]).key()));
}

#[test]
fn message_texts() {
    check_vectors("message-texts", |case| json!(read::<Content>(&case["content"]).text()));
}

/// What a schema takes when a person types `text`, and whether it asks for a decision.
#[test]
fn answers() {
    check_vectors("answers", |case| {
        let schema = &case["schema"];
        let answer = parse_answer(schema, case["text"].as_str().unwrap());
        let is_accepted = plait_core::expression::schema::accepts(schema, &answer);
        json!({ "choices": answer_choices(schema), "answer": if is_accepted { answer } else { Value::Null } })
    });
}

#[test]
fn heading_anchors() {
    check_vectors("heading-anchors", |case| json!(heading_anchor(case["heading"].as_str().unwrap())));
}
