//! Each operation of a context manager is reached by a flow. A new operation of `ContextManager` fails here until it has a case.

use std::collections::BTreeSet;

use plait_llm::context::Role;
use serde_json::{Value, json};

use crate::support::app::App;
use crate::support::folder::{flow_json, parse_flow};
use crate::support::journal::Journal;
use crate::support::provider::{RecordingProvider, SentRequest, assistant, user};

const NO_RESPONSES: [&str; 0] = [];

fn system(text: &str) -> (Role, String) {
    (Role::System, text.to_owned())
}

/// A flow that reaches one operation, and what follows from it.
struct Operation {
    /// Its name in `ContextManager`.
    name: &'static str,
    nodes: Value,
    edges: &'static [&'static str],
    /// The messages of the last request.
    sent: Vec<(Role, String)>,
    /// The history of `main` in the end.
    main: Vec<(Role, String)>,
    /// What else the operation changes.
    holds: fn(&SentRequest, &Journal) -> bool,
}

/// The edges of a conversation with an example that a node then changes.
const SET: &[&str] =
    &["start.context -> inject.context", "inject.context -> set.context", "set.context -> chat.context"];

#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn operations() -> Vec<Operation> {
    let nothing_else = |_: &SentRequest, _: &Journal| true;
    let example = [user("Two and two?"), assistant("Four.")];
    let inject = json!({ "type": "injectMessages", "config": { "messages": [
        { "role": "user", "content": "Two and two?" }, { "role": "assistant", "content": "Four." },
    ] } });
    let turn = [user("Hello"), assistant("re: Hello")];
    let asked = [&example[..], &turn].concat();
    let set = |config: Value| json!({ "set": { "type": "setContext", "config": config }, "inject": inject });
    vec![
        Operation {
            name: "get",
            nodes: json!({ "inject": inject, "apart": { "type": "newContext", "config": { "copyHistory": true } } }),
            edges: &[
                "start.context -> inject.context",
                "inject.context -> apart.context",
                "apart.context -> chat.context",
            ],
            sent: [&example[..], &turn[..1]].concat(),
            main: example.to_vec(),
            holds: |sent, journal| sent.model == "small" && journal.history("apart").len() == 4,
        },
        Operation {
            name: "open",
            nodes: json!({ "inject": inject, "apart": { "type": "newContext" } }),
            edges: &[
                "apart.handle -> inject.contextId",
                "inject.context -> chat.context",
                "start.context -> apart.context",
            ],
            sent: [&example[..], &turn[..1]].concat(),
            main: Vec::new(),
            holds: |_, journal| journal.history("apart").len() == 4,
        },
        Operation {
            name: "id",
            nodes: json!({ "set": { "type": "setContext", "config": { "contextId": "main", "model": "large" } } }),
            edges: &["start.context -> set.context", "set.context -> chat.context"],
            sent: turn[..1].to_vec(),
            main: turn.to_vec(),
            holds: |_, journal| journal.output("set", "contextId") == "main",
        },
        Operation {
            name: "add_message",
            nodes: json!({ "before": { "type": "manualInput", "config": { "text": "Hi", "addToHistory": true } } }),
            edges: &["start.context -> before.context", "before.context -> chat.context"],
            sent: vec![user("Hi"), user("Hello")],
            main: vec![user("Hi"), user("Hello"), assistant("re: Hello")],
            holds: nothing_else,
        },
        Operation {
            name: "add_messages",
            nodes: json!({ "inject": { "type": "injectMessages", "config": { "messages": [
                { "role": "system", "content": "Add." },
                { "role": "user", "content": "Two and two?" },
                { "role": "assistant", "content": "Four." },
            ] } } }),
            edges: &["start.context -> inject.context", "inject.context -> chat.context"],
            sent: [&example[..], &turn[..1]].concat(),
            main: [&[system("Add.")], &asked[..]].concat(),
            holds: |sent, _| sent.system.as_deref() == Some("You are terse.\n\nAdd."),
        },
        Operation {
            name: "set_system_instructions",
            nodes: set(json!({ "systemInstructions": "You are kind." })),
            edges: SET,
            sent: [&example[..], &turn[..1]].concat(),
            main: asked.clone(),
            holds: |sent, _| sent.system.as_deref() == Some("You are kind."),
        },
        Operation {
            name: "set_provider_model",
            nodes: set(json!({ "provider": "second", "model": "large" })),
            edges: SET,
            sent: [&example[..], &turn[..1]].concat(),
            main: asked.clone(),
            holds: |sent, journal| {
                sent.model == "large" && journal.view().contexts["main"].record.provider.as_ref() == "second"
            },
        },
        Operation {
            name: "reset_history",
            nodes: set(json!({ "resetHistory": true })),
            edges: SET,
            sent: turn[..1].to_vec(),
            main: turn.to_vec(),
            holds: nothing_else,
        },
        Operation {
            name: "commit_turn",
            nodes: json!({
                "first": { "type": "chat" }, "hi": { "type": "manualInput", "config": { "text": "Hi" } },
            }),
            edges: &[
                "hi.value -> first.message",
                "start.context -> first.context",
                "first.context -> chat.context",
            ],
            sent: vec![user("Hi"), assistant("re: Hi"), user("Hello")],
            main: [&[user("Hi"), assistant("re: Hi")], &turn[..]].concat(),
            holds: nothing_else,
        },
    ]
}

/// Operations that more than one run is needed for, with the scenario that reaches each.
const REACHED_ELSEWHERE: [(&str, &str, &str); 1] = [(
    "recall",
    include_str!("conversations.rs"),
    "fn second_run_after_a_restart_receives_the_messages_of_the_first()",
)];

#[test]
fn each_operation_of_a_context_manager_has_a_case() {
    let source = include_str!("../../src-tauri/llm/src/context/manager.rs");
    let (_, own) = source.split_once("\nimpl ContextManager {").unwrap();
    let (own, _) = own.split_once("\n}\n").unwrap();
    let declared: BTreeSet<&str> =
        own.split("    pub fn ").skip(1).map(|rest| rest.split(['(', '<']).next().unwrap()).collect();
    let specified = [
        "get",
        "add_message",
        "add_messages",
        "set_system_instructions",
        "set_provider_model",
        "reset_history",
    ];
    assert!(specified.iter().all(|name| declared.contains(name)), "{declared:?}");
    let mut reached: BTreeSet<&str> = operations().iter().map(|operation| operation.name).collect();
    for (name, source, test) in REACHED_ELSEWHERE {
        assert!(source.contains(test), "{name}: {test}");
        reached.insert(name);
    }
    assert_eq!(reached, declared);
}

#[tokio::test]
async fn each_operation_of_a_context_manager_is_reached_by_a_flow() {
    for Operation { name, nodes, edges, sent, main, holds } in operations() {
        let mut all = json!({
            "start": { "type": "contextStart", "config": {
                "provider": "first", "model": "small", "systemInstructions": "You are terse.",
            } },
            "hello": { "type": "manualInput", "config": { "text": "Hello" } },
            "chat": { "type": "chat" },
        });
        all.as_object_mut().unwrap().extend(nodes.as_object().unwrap().clone());
        let edges = [&["hello.value -> chat.message"], edges].concat();
        let provider = RecordingProvider::echo();
        let flow = parse_flow(&flow_json(name, all, &edges));
        let journal = App::with(&provider).run(&flow, NO_RESPONSES).await;
        let last = provider.sent().pop().unwrap_or_else(|| panic!("{name}: {journal:#?}"));
        assert_eq!(last.messages, sent, "{name}");
        assert_eq!(journal.history("main"), main, "{name}");
        assert!(holds(&last, &journal), "{name}: {last:#?}");
    }
}
