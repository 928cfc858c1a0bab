use serde_json::{Map, json};

use crate::nodes::registry;

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
            "Unknown name `value`. This condition knows `index`, `previous`, `input`.".to_owned()
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
