//! Properties of all node types. The child modules test the small node types; large ones have tests of their own.

mod contexts;
mod conversations;
mod origins;
mod people;
mod values;

use serde_json::{Value, json};
use std::collections::BTreeSet;

use super::registry;
use crate::testing::NodeHarness;
use plait_core::id::NodeId;
use plait_core::port::PortKind;

#[test]
fn examples_produce_their_outputs() {
    for descriptor in registry().descriptors() {
        assert!(!descriptor.examples.is_empty(), "{} has no examples", descriptor.node_type);
        // A placeholder can't run; its tests say so.
        if descriptor.editor.only_imported {
            continue;
        }
        for example in &descriptor.examples {
            let mut harness = NodeHarness::new();
            let needs_main = example.inputs.values().any(|value| value["contextId"] == json!("main"));
            if !needs_main {
                harness.contexts = plait_llm::context::Contexts::default();
            }
            let run = harness.run_example(&descriptor.node_type, example);
            let place = format!("{}: {}", descriptor.node_type, example.title);
            assert!(run.result.is_ok(), "{place}: {:?}", run.result);
            if example.outputs != Value::Null {
                assert_eq!(run.outputs(), example.outputs, "{place}");
            }
        }
    }
}

/// Whoever answers in a conversation takes what was asked into it: a node type that adds an answer alone fails here. Each runs as its
/// examples have it, and with `addToHistory`, on a context edge with a message that waits for a reply.
#[test]
fn no_type_adds_an_answer_without_its_question() {
    let (mut answering, mut changing) = (Vec::new(), Vec::new());
    for descriptor in registry().descriptors() {
        for example in descriptor.examples.iter().filter(|_| !descriptor.editor.only_imported) {
            for adds in [json!({}), json!({ "addToHistory": true })] {
                let mut config = example.config.as_object().cloned().unwrap_or_default();
                config.extend(adds.as_object().cloned().unwrap_or_default());
                let waiting =
                    json!({ "contextId": "main", "currentOutput": "Waits.", "messageId": "asked/0" });
                let mut inputs = example.inputs.clone();
                if descriptor.ports.find_input("context").is_some() {
                    inputs.insert("context".into(), waiting);
                }
                let mut harness = NodeHarness::new();
                harness.answer.clone_from(&example.answer);
                let inputs: Vec<_> =
                    inputs.iter().map(|(port, value)| (port.as_str(), value.clone())).collect();
                // Not every type has the setting.
                let _ = harness.run(&descriptor.node_type, config.into(), &inputs);
                let history = harness.history("main");
                if !history.is_empty() {
                    changing.push(descriptor.node_type.clone());
                }
                for (at, (role, text)) in
                    history.iter().enumerate().filter(|(_, (role, _))| role == "assistant")
                {
                    let asked = at.checked_sub(1).map(|before| history[before].0.as_str());
                    // What a person configures to be injected is no answer.
                    if descriptor.node_type != "injectMessages" {
                        assert_eq!(
                            asked,
                            Some("user"),
                            "{}: {role} says {text} in {history:?}",
                            descriptor.node_type
                        );
                        answering.push(descriptor.node_type.clone());
                    }
                }
            }
        }
    }
    answering.dedup();
    assert_eq!(answering, ["chat", "classify", "extract", "subflow"]);
    changing.dedup();
    changing.sort_unstable();
    let writers = ["chat", "classify", "extract", "injectMessages", "manualInput", "subflow", "userInput"];
    assert_eq!(
        changing, writers,
        "a node type that begins to write to histories is to be played in `any_flow`"
    );
}

#[test]
fn default_config_of_every_type_is_valid() {
    let registry = registry();
    for descriptor in registry.descriptors() {
        let bound = registry.bind(&"n".into(), &descriptor.node_type, &serde_json::Map::new());
        assert!(matches!(bound, Some(Ok(_))), "{}", descriptor.node_type);
    }
}

#[test]
fn port_names_are_unique_and_described() {
    for descriptor in registry().descriptors() {
        let inputs: BTreeSet<_> = descriptor.ports.inputs.iter().map(|port| &port.name).collect();
        let outputs: BTreeSet<_> = descriptor.ports.outputs.iter().map(|port| &port.name).collect();
        assert_eq!(inputs.len(), descriptor.ports.inputs.len(), "{}", descriptor.node_type);
        assert_eq!(outputs.len(), descriptor.ports.outputs.len(), "{}", descriptor.node_type);
        let descriptions = descriptor.ports.inputs.iter().map(|port| &port.description);
        let descriptions = descriptions.chain(descriptor.ports.outputs.iter().map(|port| &port.description));
        assert!(descriptions.clone().all(|text| !text.is_empty()), "{}", descriptor.node_type);
    }
}

#[test]
fn every_setting_has_a_description_and_no_references() {
    for descriptor in registry().descriptors() {
        let schema = &descriptor.config_schema;
        assert!(!schema.to_string().contains("$ref"), "{}: {schema}", descriptor.node_type);
        let Some(settings) = schema["properties"].as_object() else { continue };
        for (name, setting) in settings {
            let description = setting["description"].as_str().unwrap_or_default();
            assert!(description.ends_with('.'), "{}.{name}: {setting}", descriptor.node_type);
        }
    }
}

#[test]
fn settings_with_underscores_are_read_in_both_spellings() {
    for descriptor in registry().descriptors() {
        let node_type = &descriptor.node_type;
        for (path, _) in descriptor.settings() {
            let name = path.rsplit('.').next().unwrap().trim_end_matches("[]");
            let (first, others) = name.split_once('_').unwrap_or((name, ""));
            let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
            let others = others.split('_').filter(|word| !word.is_empty()).map(capital);
            let spelled = others.fold(first.to_owned(), |spelled, word| spelled + &word);
            let node = json!({ "type": node_type, "config": { spelled: 1 } });
            let flow = json!({ "version": 1, "nodes": { "n": node }, "edges": {} });
            let flow = plait_core::flow::read(&flow.to_string()).unwrap();
            assert!(flow.nodes["n"].config.contains_key(name), "{node_type}: {path}");
        }
    }
}

#[test]
fn invalid_settings_are_reported_with_a_pointer() {
    let registry = registry();
    let wrong = |node_type: &str, config: Value| {
        let config = config.as_object().cloned().unwrap_or_default();
        let found = registry.bind(&NodeId::from("n"), node_type, &config).unwrap().err().unwrap();
        (found[0].code.clone(), found[0].pointer.clone(), found[0].message.clone())
    };
    let (code, pointer, message) = wrong("chat", json!({ "temprature": 1 }));
    assert_eq!((code.as_str(), pointer.as_str()), ("config.invalid", "/nodes/n/config/temprature"));
    assert!(message.contains("unknown field `temprature`"), "{message}");
    let (_, pointer, _) =
        wrong("injectMessages", json!({ "messages": [{ "role": "boss", "content": "hi" }] }));
    assert_eq!(pointer, "/nodes/n/config/messages/0/role");
    let (_, pointer, message) = wrong("text", json!({ "template": "one\n{{#if x}}" }));
    assert_eq!(pointer, "/nodes/n/config/template");
    assert!(message.starts_with("Line 2"), "{message}");
    let (_, pointer, _) = wrong("chat", json!({ "temperature": 3 }));
    assert_eq!(pointer, "/nodes/n/config/temperature");
    let (_, pointer, _) = wrong("chat", json!({ "maxTokens": 0 }));
    assert_eq!(pointer, "/nodes/n/config/maxTokens");
    let (_, _, message) = wrong("tools", json!({ "tools": 3 }));
    assert!(message.contains("`auto` or a list"), "{message}");
}

#[test]
fn aliases_resolve_to_their_node_type() {
    let registry = registry();
    for (alias, node_type) in [("defaultContextStart", "contextStart"), ("llmRequest", "chat")] {
        assert_eq!(registry.descriptor(alias).unwrap().node_type, node_type);
        assert!(matches!(registry.bind(&"n".into(), alias, &serde_json::Map::new()), Some(Ok(_))));
    }
    assert!(registry.descriptor("llmRequestt").is_none());
}

#[test]
fn context_inputs_are_named_context() {
    for descriptor in registry().descriptors() {
        for port in descriptor.ports.inputs.iter().filter(|port| port.kind == PortKind::Context) {
            assert_eq!(port.name.as_str(), "context", "{}", descriptor.node_type);
        }
    }
}

#[test]
fn cards_and_editor_traits_name_fields_of_the_config() {
    for descriptor in registry().descriptors() {
        let parts = descriptor.card.lines.iter().flatten();
        let editor = &descriptor.editor;
        let fields = parts.filter_map(|part| part.field());
        for field in fields.chain(editor.comment_field.as_deref()).chain(editor.child_flow_field.as_deref()) {
            let name = field.split('.').next().unwrap_or(field);
            let setting = &descriptor.config_schema["properties"][name];
            assert!(setting.is_object(), "{} has no setting {name}", descriptor.node_type);
        }
    }
}
