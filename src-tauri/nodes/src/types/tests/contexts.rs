//! `contextStart`, `newContext`, `injectMessages`, `setContext`: creating contexts and changing them.

use serde_json::{Value, json};

use crate::registry;
use crate::testing::NodeHarness;
use plait_core::id::Epoch;
use plait_core::origin::{Origin, Origins};
use plait_llm::context::{ContextType, Contexts};
use plait_run::node::Datum;

fn empty() -> NodeHarness {
    NodeHarness { contexts: Contexts::default(), ..NodeHarness::default() }
}

fn main() -> Value {
    json!({ "contextId": "main" })
}

fn pairs(messages: &[(&str, &str)]) -> Vec<(String, String)> {
    messages.iter().map(|(role, text)| ((*role).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn context_start_creates_the_configured_context() {
    let mut harness = empty();
    let config = json!({ "provider": "openai", "model": "gpt-4o", "systemInstructions": "Be brief.", "contextId": "side" });
    harness.run("contextStart", config, &[]).result.unwrap();
    let record = harness.context("side");
    assert_eq!((&*record.provider, &*record.model), ("openai", "gpt-4o"));
    assert_eq!(
        (record.system_instructions.as_deref(), record.context_type),
        (Some("Be brief."), ContextType::Main)
    );
    assert_eq!((&*record.session_id, record.message_history.len()), ("side", 0));
    assert_eq!(harness.run("contextStart", json!({ "contextId": "side" }), &[]).code(), "context.duplicate");
    assert_eq!(harness.context("side"), record, "a failed node changes nothing");
    assert_eq!(empty().run("contextStart", json!({ "model": " " }), &[]).code(), "config.invalid");
}

#[test]
fn new_context_inherits_unset_settings_and_leaves_its_source() {
    let mut harness = empty();
    let start = json!({ "provider": "openai", "model": "gpt-4o", "systemInstructions": "Be brief." });
    harness.run("contextStart", start, &[]);
    harness.run("chat", json!({}), &[("context", main()), ("message", json!("Hi"))]);
    let before = harness.context("main");

    let run = harness.run("newContext", json!({}), &[("context", main())]);
    assert_eq!(run.output("handle"), Some(&json!({ "contextId": "newContext" })));
    let created = harness.context("newContext");
    assert_eq!((&*created.provider, &*created.model), ("openai", "gpt-4o"));
    assert_eq!(created.system_instructions.as_deref(), Some("Be brief."));
    assert_eq!((created.context_type, created.message_history.len()), (ContextType::Isolated, 0));
    assert_eq!(created.parent_context_id.as_ref().map(plait_core::id::ContextId::as_str), Some("main"));

    let config = json!({ "copyHistory": true, "systemInstructions": "", "provider": "offline" });
    harness.run("newContext", config, &[("context", main())]);
    let copy = harness.context("newContext");
    assert_eq!((copy.system_instructions.as_deref(), &*copy.model), (None, "echo"));
    assert_eq!(harness.history("newContext"), harness.history("main"));

    let inputs = [("context", json!({ "contextId": "newContext" })), ("message", json!("Only here"))];
    harness.run("chat", json!({}), &inputs);
    assert_eq!(harness.history("newContext").len(), 4);
    assert_eq!(harness.context("main"), before);
}

#[test]
fn new_context_of_another_provider_needs_a_model() {
    let mut harness = NodeHarness::new();
    assert_eq!(
        harness.run("newContext", json!({ "provider": "openai" }), &[("context", main())]).code(),
        "model.none"
    );
    let run = harness.run("newContext", json!({ "provider": "openai", "model": "gpt-4o" }), &[]);
    assert!(run.result.is_ok());
    assert_eq!(
        harness.run("newContext", json!({}), &[("context", json!({ "contextId": "x" }))]).code(),
        "context.unknown"
    );
}

#[test]
fn each_iteration_creates_its_own_context() {
    let mut harness = NodeHarness::new();
    for epoch in [0, 1] {
        harness.epoch = Epoch::root().child(epoch);
        harness.run("newContext", json!({}), &[]);
    }
    assert_eq!(harness.context("newContext#0").context_id.as_str(), "newContext#0");
    assert_eq!(harness.context("newContext#1").context_id.as_str(), "newContext#1");
}

#[test]
fn injected_messages_go_to_the_addressed_context_or_nowhere() {
    let mut harness = NodeHarness::new();
    harness.run("newContext", json!({}), &[]);
    let config = json!({ "messages": [
        { "role": "system", "content": "You know {{event}}." },
        { "role": "user", "content": "Ready?" },
        { "role": "assistant", "content": "Yes." },
    ]});
    let handle = json!({ "contextId": "newContext" });
    let inputs = [("context", main()), ("contextId", handle.clone()), ("event", json!("it"))];
    let run = harness.run("injectMessages", config.clone(), &inputs);
    let expected = pairs(&[("system", "You know it."), ("user", "Ready?"), ("assistant", "Yes.")]);
    assert_eq!(harness.history("newContext"), expected);
    assert!(harness.history("main").is_empty(), "the handle wins over the context edge");
    assert_eq!(run.outputs(), json!({ "context": handle, "contextId": "newContext" }));

    let by_name = json!({ "contextId": "newContext", "messages": [{ "role": "user", "content": "x" }] });
    harness.run("injectMessages", by_name, &[("context", main())]).result.unwrap();
    assert_eq!(harness.history("newContext").len(), 4);
    let by_text = [("contextId", json!("newContext")), ("event", json!("y"))];
    harness.run("injectMessages", config.clone(), &by_text).result.unwrap();
    assert_eq!(harness.history("newContext").len(), 7);

    assert_eq!(
        harness.run("injectMessages", config.clone(), &[("context", main())]).code(),
        "template.missing_value"
    );
    assert!(harness.history("main").is_empty());
    assert_eq!(harness.run("injectMessages", json!({}), &[]).code(), "context.none");
    assert_eq!(
        harness.run("injectMessages", json!({}), &[("contextId", json!("x"))]).code(),
        "context.unknown"
    );
    assert_eq!(harness.run("injectMessages", json!({}), &[("contextId", json!(7))]).code(), "input.type");
}

#[test]
fn injected_user_message_is_answered_once() {
    let mut harness = NodeHarness::new();
    let config = json!({ "messages": [{ "role": "user", "content": "Hello" }] });
    let run = harness.run("injectMessages", config, &[("context", main())]);
    let handle = run.output("context").unwrap().clone();
    harness.run("chat", json!({}), &[("context", handle)]).result.unwrap();
    assert_eq!(harness.history("main"), pairs(&[("user", "Hello"), ("assistant", "Hello")]));
}

#[test]
fn current_output_passes_injected_examples() {
    let mut harness = NodeHarness::new();
    let config = json!({ "messages": [{ "role": "user", "content": "1+1" }, { "role": "assistant", "content": "2" }] });
    let handle = json!({ "contextId": "main", "currentOutput": "2+2" });
    let run = harness.run("injectMessages", config, &[("context", handle.clone())]);
    assert_eq!(run.output("context"), Some(&handle));
}

#[test]
fn behavior_names_the_contexts_used_and_created() {
    let behavior = |node_type: &str, config: Value| {
        let config = config.as_object().cloned().unwrap_or_default();
        let bound = registry().bind(&"n".into(), node_type, &config).unwrap();
        bound.unwrap_or_else(|found| panic!("{found:?}")).behavior().clone()
    };
    assert!(behavior("contextStart", json!({})).makes_context);
    assert_eq!(behavior("contextStart", json!({})).context_id.as_deref(), Some("main"));
    assert!(behavior("newContext", json!({})).makes_context);
    assert_eq!(behavior("newContext", json!({})).context_id, None);
    assert!(!behavior("newContext", json!({})).uses_context);
    assert!(behavior("newContext", json!({ "copyHistory": true })).uses_context);
    assert!(behavior("chat", json!({})).uses_context);
    assert!(behavior("chat", json!({ "skipHistory": true })).uses_context);
    assert!(behavior("injectMessages", json!({})).uses_context);
    assert_eq!(behavior("injectMessages", json!({})).uses_context_from, Some("contextId"));
    let named = behavior("injectMessages", json!({ "contextId": "side" }));
    assert_eq!(
        (named.uses_context_id.as_deref(), named.uses_context, named.uses_context_from),
        (Some("side"), false, None)
    );
    assert!(behavior("setContext", json!({ "model": "m" })).changes_context);
    assert_eq!(behavior("setContext", json!({ "model": "m" })).uses_context_from, Some("contextId"));
    assert!(behavior("setContext", json!({})).missing_setting.is_some());
    for (node_type, pauses) in [("userInput", true), ("manualInput", false)] {
        assert_eq!(behavior(node_type, json!({})).pauses, pauses);
        assert!(!behavior(node_type, json!({})).uses_context);
        assert!(behavior(node_type, json!({ "addToHistory": true })).uses_context);
    }
    assert!(behavior("approval", json!({})).pauses && !behavior("approval", json!({})).uses_context);
    assert!(behavior("output", json!({})).is_output && behavior("note", json!({})).inert);
}

#[test]
fn set_context_changes_what_is_set_and_nothing_else() {
    let mut harness = NodeHarness::new();
    harness.run("chat", json!({}), &[("context", main()), ("message", json!("Hi"))]).result.unwrap();
    let before = harness.context("main");

    let instructions = json!({ "systemInstructions": "Be {{tone}}." });
    harness.run("setContext", instructions, &[("context", main()), ("tone", json!("kind"))]).result.unwrap();
    let changed = harness.context("main");
    assert_eq!(changed.system_instructions.as_deref(), Some("Be kind."));
    assert_eq!((&changed.provider, &changed.model), (&before.provider, &before.model));
    assert_eq!(harness.history("main").len(), 2);

    let model = json!({ "provider": "openai", "model": "gpt-4o" });
    harness.run("setContext", model, &[("context", main())]).result.unwrap();
    let changed = harness.context("main");
    assert_eq!((&*changed.provider, &*changed.model), ("openai", "gpt-4o"));
    assert_eq!(changed.system_instructions.as_deref(), Some("Be kind."));

    harness.run("setContext", json!({ "model": "gpt-4.1" }), &[("context", main())]).result.unwrap();
    assert_eq!((&*harness.context("main").provider, &*harness.context("main").model), ("openai", "gpt-4.1"));

    let waiting = json!({ "contextId": "main", "currentOutput": "Next?", "messageId": "asked/0" });
    let reset = json!({ "resetHistory": true, "systemInstructions": "" });
    let run = harness.run("setContext", reset, &[("context", waiting.clone())]);
    assert_eq!(run.outputs(), json!({ "context": waiting, "contextId": "main" }));
    assert_eq!(
        (harness.history("main").len(), harness.context("main").system_instructions.clone()),
        (0, None)
    );
}

#[test]
fn set_context_changes_the_addressed_context_or_fails() {
    let mut harness = NodeHarness::new();
    harness.run("newContext", json!({}), &[]).result.unwrap();
    let set = |more: Value| {
        let mut config = json!({ "systemInstructions": "New." });
        config.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        config
    };
    let by_handle = [("context", main()), ("contextId", json!({ "contextId": "newContext" }))];
    let run = harness.run("setContext", set(json!({})), &by_handle);
    assert_eq!(run.output("context"), Some(&json!({ "contextId": "newContext" })));
    assert_eq!(harness.context("newContext").system_instructions.as_deref(), Some("New."));
    assert_eq!(harness.context("main").system_instructions, None);
    harness.run("setContext", set(json!({ "contextId": "main" })), &[]).result.unwrap();
    assert_eq!(harness.context("main").system_instructions.as_deref(), Some("New."));

    let mut code =
        |config: Value, inputs: &[(&str, Value)]| harness.run("setContext", config, inputs).code().to_owned();
    assert_eq!(code(set(json!({})), &[]), "context.none");
    assert_eq!(code(set(json!({ "contextId": "x" })), &[]), "context.unknown");
    assert_eq!(code(set(json!({})), &[("contextId", json!(7))]), "input.type");
    assert_eq!(code(set(json!({ "provider": "openai" })), &[("context", main())]), "model.none");
    assert_eq!(
        code(set(json!({ "provider": "nobody", "model": "m" })), &[("context", main())]),
        "provider.unknown"
    );
    assert_eq!(code(set(json!({ "model": " " })), &[("context", main())]), "config.invalid");
}

#[test]
fn instructions_come_from_where_their_values_come_from() {
    let mut harness = NodeHarness::new();
    let web = Origins::of(Origin::Host("example.org".to_owned()));
    let config = json!({ "systemInstructions": "Follow {{page}}." });
    let page = Datum { origins: web.clone(), ..Datum::from(json!("this")) };
    let inputs = vec![("context", Datum::from(main())), ("page", page)];
    harness.run_data("setContext", config, inputs).result.unwrap();
    assert_eq!(harness.context("main").system_origins, web);
}
