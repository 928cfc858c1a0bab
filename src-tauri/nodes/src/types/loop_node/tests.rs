use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::config::Config;
use crate::registry;
use crate::testing::NodeHarness;
use plait_core::flow;
use plait_core::origin::{Origin, Origins};
use plait_llm::loop_history::PersonAnswer;
use plait_run::plan::check;

fn problem(config: &serde_json::Value) -> (String, String) {
    let config: Map<_, _> = config.as_object().cloned().unwrap_or_default();
    let found = registry().bind(&"l".into(), "loop", &config).unwrap().err().unwrap();
    (found[0].pointer.clone(), found[0].message.clone())
}

#[test]
fn bad_settings_are_refused_at_their_place() {
    assert_eq!(
        problem(&json!({ "condition": "value > 3" })),
        (
            "/nodes/l/config/condition".to_owned(),
            "Unknown name `value`. Known here are `index`, `previous`, `input`, `hitl_history`.".to_owned()
        )
    );
    let (pointer, message) = problem(&json!({ "max_iterations": 0 }));
    assert_eq!(pointer, "/nodes/l/config/max_iterations");
    assert_eq!(message, "`max_iterations` must be from 1 to 1000000.");
    assert_eq!(problem(&json!({ "kind": "forEach", "concurrency": 0 })).0, "/nodes/l/config/concurrency");
    assert!(problem(&json!({ "kind": "until" })).1.contains("unknown variant `until`"));
}

#[test]
fn items_are_for_each_only() {
    let ports = |config: serde_json::Value| {
        let bound = registry().bind(&"l".into(), "loop", config.as_object().unwrap()).unwrap().ok().unwrap();
        bound.ports().as_ref().clone()
    };
    let times = ports(json!({ "kind": "times" }));
    assert!(times.find_input("items").is_none());
    assert!(times.inner_outputs.iter().all(|port| port.name.as_str() != "item"));
    let each = ports(json!({ "kind": "forEach" }));
    assert!(each.find_input("items").unwrap().required);
    assert_eq!(each.inner_outputs[0].name.as_str(), "item");
    assert_eq!(each.inner_inputs.iter().map(|port| port.name.as_str()).collect::<Vec<_>>(), ["next", "exit"]);
}

#[test]
fn conversation_is_checked_at_its_place() {
    let (pointer, message) = problem(&json!({ "history_management": { "max_tokens": 0 } }));
    assert_eq!(pointer, "/nodes/l/config/history_management/max_tokens");
    assert!(message.contains("at least 1"), "{message}");
    assert_eq!(problem(&json!({ "history_template": "{{secret}}" })).0, "/nodes/l/config/history_template");
    let parallel = json!({ "kind": "forEach", "concurrency": 2, "conversation": true });
    assert_eq!(problem(&parallel).0, "/nodes/l/config/concurrency");
}

#[test]
fn unknown_key_is_refused_with_the_one_that_was_meant() {
    let hint = |config: serde_json::Value| {
        let found = registry().bind(&"l".into(), "loop", config.as_object().unwrap()).unwrap().err().unwrap();
        (found[0].pointer.clone(), found[0].hint.clone().unwrap_or_default())
    };
    let (pointer, hint_text) = hint(json!({ "history_management": { "max_token": 5 } }));
    assert!(pointer.starts_with("/nodes/l/config/history_management"), "{pointer}");
    assert!(hint_text.starts_with("Did you mean `max_tokens`?"), "{hint_text}");
    assert!(hint(json!({ "convesation": true })).1.starts_with("Did you mean `conversation`?"));
    assert!(hint(json!({ "ai_turn_source": "all_agent" })).1.starts_with("Did you mean `all_agents`?"));
}

#[test]
fn limits_that_do_not_bound_the_loop_are_warned_of() {
    let found = |node: serde_json::Value, edges: serde_json::Value| {
        let document = json!({ "version": 1, "nodes": {
            "l": node, "a": { "type": "text", "parent": "l", "config": { "template": "x" } },
            "b": { "type": "text", "config": { "template": "{{x}}" } },
        }, "edges": edges });
        let found = check(&flow::read(&document.to_string()).unwrap(), &registry()).diagnostics;
        let limits = found.into_iter().filter(|found| found.code.as_str() == "loop.unused_limit");
        limits.map(|found| (found.pointer, found.message)).collect::<Vec<_>>()
    };
    let limits = json!({ "maxEpochs": 3, "timeoutMs": 5 });
    let retry = json!({ "attempts": 2 });
    let times = json!({ "type": "loop", "config": { "kind": "times" }, "limits": limits, "retry": retry });
    let (first, message) = found(times.clone(), json!({})).remove(0);
    assert_eq!(first, "/nodes/l/limits/maxEpochs");
    assert!(message.contains("does not bound the iterations of this loop"), "{message}");
    let others = &found(times, json!({}))[1..];
    assert_eq!(
        others,
        [
            (
                "/nodes/l/limits/timeoutMs".to_owned(),
                "A loop as a whole has no timeout. It has no effect.".to_owned()
            ),
            ("/nodes/l/retry".to_owned(), "A loop as a whole is not retried. It has no effect.".to_owned()),
        ]
    );
    let tested =
        json!({ "type": "loop", "config": { "condition": "index < 2" }, "limits": { "timeoutMs": 5 } });
    assert!(found(tested, json!({}))[0].1.ends_with("before each iteration."));
    // In a cycle of edges it bounds that.
    let cycle = json!({
        "e": { "source": "l", "sourceOutput": "result", "target": "b", "targetInput": "x" },
        "f": { "source": "b", "sourceOutput": "text", "target": "l", "targetInput": "input" },
    });
    let bounded = json!({ "type": "loop", "config": { "kind": "times" }, "limits": { "maxEpochs": 3 } });
    assert_eq!(found(bounded, cycle), []);
}

#[test]
fn condition_reads_the_answers_of_people_also_where_it_is_evaluated_elsewhere() {
    for condition in
        ["hitl_history[0].answer == \"stop\"", "hitl_history.exists(said, said.answer == \"stop\")"]
    {
        for (answer, holds) in [("stop", true), ("go", false)] {
            let mut harness = NodeHarness::new();
            harness.answers.push(Arc::new(PersonAnswer {
                node: "ask".into(),
                question: "Go on?".to_owned(),
                answer: Arc::new(json!(answer)),
                origins: Origins::of(Origin::Person),
            }));
            let run = harness.run("loop", json!({ "condition": condition }), &[("index", json!(1))]);
            assert_eq!(run.output("continue"), Some(&json!(holds)), "{condition}: {:?}", run.result);
            assert_eq!(run.origins, Origins::of(Origin::Person));
        }
    }
}

/// The settings of an object that its form does not show beside these values.
fn hidden(properties: &Value, values: &Value) -> BTreeSet<String> {
    let shows = |schema: &Value| {
        let Some(conditions) = schema["x-shown-if"].as_object() else { return true };
        conditions.iter().any(|(name, wanted)| match wanted {
            Value::Array(several) => several.contains(&values[name]),
            one => *one == values[name],
        })
    };
    let properties = properties.as_object().unwrap().iter();
    properties.filter(|(_, schema)| !shows(schema)).map(|(name, _)| name.clone()).collect()
}

#[test]
fn forms_hide_the_settings_that_have_no_effect() {
    let schema = serde_json::to_value(schemars::schema_for!(Config)).unwrap();
    for kind in ["while", "times", "forEach"] {
        for strategy in ["truncate_tokens", "truncate_turns", "summarize"] {
            for conversation in [false, true] {
                let history = json!({ "strategy": strategy });
                let config =
                    json!({ "kind": kind, "conversation": conversation, "history_management": history });
                let mut expected: BTreeSet<String> =
                    hidden(&schema["properties"], &config).iter().map(|name| format!("/{name}")).collect();
                if conversation {
                    let bounds = hidden(&schema["$defs"]["HistoryManagement"]["properties"], &history);
                    expected.extend(bounds.iter().map(|name| format!("/history_management/{name}")));
                }
                let unused = serde_json::from_value::<Config>(config.clone()).unwrap().unused();
                let mut unused: BTreeSet<String> = unused.into_iter().map(|one| one.pointer).collect();
                // It depends on the items of a list, so a form shows it.
                if conversation {
                    unused.remove("/named_steps");
                }
                assert_eq!(unused, expected, "{config}");
            }
        }
    }
}
