use serde_json::{Value, json};

use super::{
    ConfigForms, ConfigScope, ConfigSource, ConfigValues, Inheritance, Layer, check_flow_settings,
    check_values, find, forms, keys, resolve, resolve_all, run_values, settings_values, with_settings,
};
use crate::flow::Flow;
use crate::id::NodeId;

#[expect(clippy::needless_pass_by_value, reason = "callers write it in place")]
fn flow(settings: Value, nodes: Value) -> Flow {
    serde_json::from_value(json!({ "version": 1, "settings": settings, "nodes": nodes })).unwrap()
}

fn values(of: Value) -> ConfigValues {
    serde_json::from_value(of).unwrap()
}

/// The value that holds, and the layer that it comes from.
fn held(key: &str, settings: &Value, flow: Option<&Flow>, node: Option<&str>) -> (Value, ConfigSource) {
    let (settings, node) = (values(settings.clone()), node.map(NodeId::from));
    let scope = ConfigScope { settings: &settings, flow, node: node.as_ref() };
    let resolved = resolve(find(key).unwrap(), scope);
    (resolved.value.unwrap_or_default(), resolved.source)
}

#[expect(clippy::needless_pass_by_value, reason = "callers write it in place")]
fn loop_with(config: Value) -> Value {
    json!({
        "talk": { "type": "loop", "config": config },
        "ask": { "type": "chat", "parent": "talk" },
    })
}

#[test]
fn each_layer_comes_before_the_wider_ones() {
    let key = "history_management.max_tokens";
    let around = || ConfigSource::Loop { node: "talk".into() };
    let open = flow(json!({}), loop_with(json!({ "conversation": true })));
    let set = flow(json!({ "config": { key: 300 } }), loop_with(json!({ "conversation": true })));
    let own = flow(
        json!({ "config": { key: 300 } }),
        loop_with(json!({ "conversation": true, "history_management": { "max_tokens": 400 } })),
    );
    let settings = json!({ key: 200 });
    assert_eq!(held(key, &json!({}), Some(&open), Some("ask")), (json!(4096), ConfigSource::BuiltIn));
    assert_eq!(held(key, &settings, Some(&open), Some("ask")), (json!(200), ConfigSource::Settings));
    assert_eq!(held(key, &settings, Some(&set), Some("ask")), (json!(300), ConfigSource::Flow));
    assert_eq!(held(key, &settings, Some(&own), Some("ask")), (json!(400), around()));
    assert_eq!(held(key, &settings, Some(&own), Some("talk")), (json!(400), around()));

    let node = flow(
        json!({ "config": { "maxToolRounds": 3 } }),
        json!({ "ask": { "type": "chat", "config": { "maxToolRounds": 1 } } }),
    );
    let source = ConfigSource::Node { node: "ask".into() };
    assert_eq!(
        held("maxToolRounds", &json!({ "maxToolRounds": 5 }), Some(&node), Some("ask")),
        (json!(1), source)
    );
}

#[test]
fn conversation_of_an_outer_loop_counts_where_the_inner_one_has_none() {
    let nested = |conversation: bool| {
        flow(
            json!({}),
            json!({
                "outer": { "type": "loop", "config": { "conversation": true, "history_management": { "max_turns": 4 } } },
                "inner": { "type": "loop", "parent": "outer", "config": { "conversation": conversation } },
                "ask": { "type": "chat", "parent": "inner" },
            }),
        )
    };
    let key = "history_management.max_turns";
    let outer = ConfigSource::Loop { node: "outer".into() };
    assert_eq!(held(key, &json!({}), Some(&nested(false)), Some("ask")), (json!(4), outer));
    assert_eq!(held(key, &json!({}), Some(&nested(true)), Some("ask")), (json!(20), ConfigSource::BuiltIn));
    assert_eq!(
        held(key, &json!({}), Some(&nested(false)), Some("inner")),
        (json!(20), ConfigSource::BuiltIn)
    );
}

#[test]
fn model_of_another_provider_is_not_inherited() {
    let settings = json!({ "agent.provider": "acme", "agent.model": "large" });
    for (config, wanted) in [
        (json!({}), json!("large")),
        (json!({ "provider": "acme" }), json!("large")),
        (json!({ "provider": "other" }), Value::Null),
        (json!({ "provider": "offline" }), json!("echo")),
        (json!({ "model": "small" }), json!("small")),
    ] {
        let flow = flow(json!({}), json!({ "new": { "type": "newContext", "config": config } }));
        assert_eq!(held("agent.model", &settings, Some(&flow), Some("new")).0, wanted, "{config}");
        let completed = with_settings(&flow, &values(settings.clone()));
        let node = &completed.nodes[&NodeId::from("new")];
        let node = Inheritance::of(&completed).apply(&"new".into(), node).into_owned();
        let runs_with = node.config.get("model").cloned().unwrap_or_default();
        // Without a model, the provider decides: the simulator has one.
        let wanted = if wanted == "echo" { Value::Null } else { wanted };
        assert_eq!(runs_with, wanted, "{config}");
    }
}

#[test]
fn context_by_an_edge_keeps_its_own_agent() {
    let flow: Flow = serde_json::from_value(json!({
        "version": 1,
        "settings": { "config": { "agent.provider": "acme", "agent.model": "large" } },
        "nodes": {
            "start": { "type": "contextStart" },
            "copy": { "type": "newContext" },
            "alone": { "type": "newContext" },
        },
        "edges": { "e": { "source": "start", "sourceOutput": "context", "target": "copy", "targetInput": "context" } },
    }))
    .unwrap();
    let inheritance = Inheritance::of(&flow);
    let provider = |id: &str| {
        let id = NodeId::from(id);
        inheritance.apply(&id, &flow.nodes[&id]).config.get("provider").cloned()
    };
    assert_eq!(provider("copy"), None);
    assert_eq!(provider("start"), None);
    assert_eq!(provider("alone"), Some(json!("acme")));
}

#[test]
fn nodes_get_limits_and_retries_of_the_flow_where_they_set_none() {
    let flow = flow(
        json!({ "config": { "timeoutMs": 900, "retry.attempts": 5, "max_iterations": 7 } }),
        json!({
            "plain": { "type": "chat" },
            "own": { "type": "chat", "limits": { "timeoutMs": 100 }, "retry": { "attempts": 2 } },
            "repeat": { "type": "loop" },
            "value": { "type": "value" },
        }),
    );
    let inheritance = Inheritance::of(&flow);
    let applied = |id: &str| {
        let id = NodeId::from(id);
        inheritance.apply(&id, &flow.nodes[&id]).into_owned()
    };
    let (plain, own) = (applied("plain"), applied("own"));
    assert_eq!((plain.limits.timeout_ms, plain.retry.map(|retry| retry.attempts)), (Some(900), Some(5)));
    assert_eq!((own.limits.timeout_ms, own.retry.map(|retry| retry.attempts)), (Some(100), Some(2)));
    assert_eq!(applied("repeat").config, *json!({ "max_iterations": 7 }).as_object().unwrap());
    assert_eq!(applied("value"), flow.nodes[&NodeId::from("value")]);
}

#[test]
fn settings_complete_the_settings_of_a_flow() {
    let settings = settings_values(&json!({
        "theme": "dark",
        "limits": { "maxRuns": 5 },
        "summarizer": { "provider": "acme", "model": "small" },
        "config": { "maxConcurrency": 2, "retry.attempts": 9, "maxUnattendedEpochs": "many" },
    }));
    let kept = run_values(&settings);
    assert!(
        !kept.contains_key("theme")
            && !kept.contains_key("limits.maxRuns")
            && kept.contains_key("maxConcurrency")
    );
    let own =
        flow(json!({ "maxConcurrency": 8, "memory": { "summarizer": { "provider": "other" } } }), json!({}));
    let settings = with_settings(&own, &settings).settings.clone();
    assert_eq!(settings.max_concurrency, Some(8));
    assert_eq!(settings.config["retry.attempts"], 9);
    assert_eq!(settings.limits, None, "limits of run trees follow the settings");
    assert_eq!(settings.max_unattended_epochs, None, "what a journal holds that is no number is not used");
    let summarizer = settings.memory.unwrap().summarizer;
    assert_eq!((summarizer.provider.as_deref(), summarizer.model), (Some("other"), None));
}

#[test]
fn node_lowers_the_recent_turns_and_does_not_raise_them() {
    let flow = |own: u32| {
        flow(
            json!({ "memory": { "recentTurns": 6 } }),
            json!({ "ask": { "type": "chat", "config": { "memory": { "recentTurns": own } } } }),
        )
    };
    let held = |own: u32| held("memory.recentTurns", &json!({}), Some(&flow(own)), Some("ask"));
    assert_eq!(held(2), (json!(2), ConfigSource::Node { node: "ask".into() }));
    assert_eq!(held(50), (json!(6), ConfigSource::Flow));
}

#[test]
fn impossible_ratio_is_the_built_in_one() {
    let config = json!({ "conversation": true, "history_management": { "summarize_ratio": 7 } });
    let flow = flow(json!({}), loop_with(config));
    let key = "history_management.summarize_ratio";
    assert_eq!(held(key, &json!({}), Some(&flow), Some("talk")).0, json!(0.5));
}

#[test]
fn unknown_keys_and_bad_values_say_what_is_meant() {
    let codes = |of: Value, layer: Layer| -> Vec<String> {
        let of = values(of);
        let found = check_values(&of, layer).filter_map(|(_, checked)| checked.err());
        found.map(|problem| format!("{} {} {}", problem.code, problem.message, problem.hint)).collect()
    };
    assert_eq!(
        codes(json!({ "maxConcurency": 3 }), Layer::Settings),
        ["settings.unknown_key There is no setting `maxConcurency`. Did you mean `maxConcurrency`?"]
    );
    assert_eq!(
        codes(json!({ "max_tokens": 3 }), Layer::Settings),
        [
            "settings.unknown_key There is no setting `max_tokens`. Did you mean `history_management.max_tokens`?"
        ]
    );
    assert_eq!(
        codes(json!({ "retry.attempts": 101 }), Layer::Flow),
        ["settings.bad_value `101` is no value of `retry.attempts`. It takes a whole number from 1 to 100."]
    );
    assert_eq!(
        codes(json!({ "contextWindow": 9 }), Layer::Settings),
        [
            "settings.wrong_layer `contextWindow` cannot be set in the settings. Set it in the flow or in a node."
        ]
    );
    assert_eq!(
        codes(json!({ "maxConcurrency": 9 }), Layer::Flow),
        [
            "settings.wrong_layer `maxConcurrency` has a place of its own. Set `maxConcurrency` instead of an entry of `config`."
        ]
    );
    let long = "x".repeat(100_000);
    let found = codes(json!({ long: 1 }), Layer::Settings);
    assert!(found[0].len() < 300, "{}", found[0].len());
    let flow = flow(json!({ "config": { "retry.jitter": 2 } }), json!({}));
    assert_eq!(check_flow_settings(&flow.settings)[0].pointer, "/settings/config/retry.jitter");
}

#[test]
fn texts_are_parsed_by_the_kind_of_the_key() {
    let parse = |key: &str, text: &str| find(key).unwrap().parse(text).map_err(|problem| problem.hint);
    assert_eq!(parse("maxConcurrency", " 4 "), Ok(json!(4)));
    assert_eq!(parse("retry.jitter", "0.25"), Ok(json!(0.25)));
    assert_eq!(parse("reducedMotion", "true"), Ok(json!(true)));
    assert_eq!(parse("agent.model", "4"), Ok(json!("4")));
    assert_eq!(parse("maxConcurrency", "-1"), Err("It takes a whole number from 1.".to_owned()));
    assert_eq!(parse("theme", "purple"), Err("It takes one of `system`, `light`, `dark`.".to_owned()));
    assert!(parse("history_management.summarize_ratio", "1").is_err());
    assert!(parse("agent.provider", " ").is_err());
}

#[test]
fn explanation_shows_each_layer() {
    let flow = flow(
        json!({ "config": { "history_management.max_tokens": 300 } }),
        loop_with(json!({ "conversation": true })),
    );
    let settings = values(json!({ "history_management.max_tokens": 200 }));
    let node = NodeId::from("talk");
    let scope = ConfigScope { settings: &settings, flow: Some(&flow), node: Some(&node) };
    let resolved = resolve(find("history_management.max_tokens").unwrap(), scope);
    insta::assert_json_snapshot!(resolved);
}

#[test]
fn scopes_list_what_they_have_to_do_with() {
    let flow = flow(json!({}), loop_with(json!({})));
    let settings = ConfigValues::new();
    let names = |flow: Option<&Flow>, node: Option<&str>| -> Vec<String> {
        let node = node.map(NodeId::from);
        let scope = ConfigScope { settings: &settings, flow, node: node.as_ref() };
        resolve_all(scope).into_iter().map(|resolved| resolved.key).collect()
    };
    assert_eq!(names(None, None).len(), keys().len());
    assert!(!names(Some(&flow), None).contains(&"theme".to_owned()));
    let of_loop = names(Some(&flow), Some("talk"));
    assert!(of_loop.contains(&"max_iterations".to_owned()) && !of_loop.contains(&"maxToolRounds".to_owned()));
    assert!(names(Some(&flow), Some("ask")).contains(&"maxToolRounds".to_owned()));
}

#[test]
fn quotas_are_set_as_a_whole() {
    let settings = json!({ "quotas.run": { "tokens": 5000 } });
    let flow = flow(
        json!({ "quotas": { "run": { "usd": 2.0 } } }),
        json!({
            "talk": { "type": "loop", "limits": { "quota": { "tokens": 700 } } },
            "ask": { "type": "chat", "parent": "talk", "limits": { "quota": { "tokens": 70 } } },
        }),
    );
    assert_eq!(held("quotas.run", &settings, None, None).0, json!({ "tokens": 5000 }));
    assert_eq!(held("quotas.run", &settings, Some(&flow), None), (json!({ "usd": 2.0 }), ConfigSource::Flow));
    assert_eq!(held("quotas.loop", &settings, Some(&flow), Some("ask")).0, json!({ "tokens": 700 }));
    assert_eq!(held("quotas.node", &settings, Some(&flow), Some("ask")).0, json!({ "tokens": 70 }));
    let parse = |text: &str| find("quotas.day").unwrap().parse(text).is_ok();
    assert!(parse(r#"{"tokens": 1, "onExceeded": "ask"}"#));
    for bad in ["{}", r#"{"tokens": 0}"#, r#"{"token": 5}"#, "5", r#"{"tokens": 5"#] {
        assert!(!parse(bad), "{bad}");
    }
}

#[test]
fn keys_of_the_settings_are_in_a_section() {
    let ConfigForms { sections, fields, .. } = forms();
    for field in fields {
        assert_eq!(field.section.is_some(), field.settings.is_some(), "{}", field.key);
        let is_known = |section| sections.iter().any(|known| known.id == section);
        assert!(field.section.is_none_or(is_known), "{}: no section {:?}", field.key, field.section);
    }
}

#[test]
fn schemas_of_fields_say_what_forms_show() {
    let schema = |name: &str| find(name).unwrap().schema();
    assert_eq!(
        schema("retry.backoffMs"),
        json!({
            "type": "integer", "minimum": 0, "default": 500, "title": "Initial delay (ms)",
            "description": "The delay before the second attempt, in milliseconds. It doubles with each further attempt.",
        })
    );
    let unset = schema("summarizer.provider");
    assert_eq!(unset["x-unset"], "the default agent's for loops, the context's for memory");
    assert_eq!((&unset["format"], unset.get("default")), (&json!("provider"), None));
    assert_eq!(schema("memory.mode")["oneOf"][2], json!({ "const": "readWrite", "title": "Read and write" }));
}

#[test]
fn names_are_unique() {
    let mut names: Vec<_> = keys().iter().map(|key| key.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), keys().len());
}
