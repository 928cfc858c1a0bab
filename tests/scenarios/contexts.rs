//! Contexts: histories grow by turns, isolated contexts stay separate, inputs write to the context on their edge.

use plait_llm::context::{ContextType, Role};

use serde_json::{Value, json};

use crate::support::app::App;
use crate::support::flow;
use crate::support::folder::{flow_json, parse_flow};
use crate::support::provider::{RecordingProvider, assistant, text, user};

const NO_RESPONSES: [&str; 0] = [];

#[tokio::test]
async fn history_grows_by_one_turn_per_call() {
    let provider = RecordingProvider::echo();
    let journal = App::with(&provider).run(&flow("three-turns"), NO_RESPONSES).await;

    let history = [
        user("First question"),
        assistant("re: First question"),
        user("Second question"),
        assistant("re: Second question"),
        user("Third question"),
        assistant("re: Third question"),
    ];
    assert_eq!(journal.history("main"), history);
    let sent: Vec<_> = provider.sent().into_iter().map(|sent| sent.messages).collect();
    assert_eq!(sent, [&history[..1], &history[..3], &history[..5]]);
    // The second message was in the history before its chat, and is there only once.
    let main = &journal.view().contexts["main"].record;
    let ids: std::collections::BTreeSet<_> = main.message_history.iter().map(|message| &message.id).collect();
    assert_eq!(ids.len(), 6);
}

#[tokio::test]
async fn isolated_context_does_not_change_main() {
    let provider = RecordingProvider::with_rule(|sent, _| {
        Ok(text(match sent.last_text() {
            question if question.starts_with("Judge") => "Nonsense.",
            question if question.starts_with("The critic") => "Noted.",
            _ => "Yes, all of it.",
        }))
    });
    let journal = App::with(&provider).run(&flow("isolated-context"), NO_RESPONSES).await;

    assert_eq!(
        journal.history("main"),
        [
            user("Is the moon made of cheese?"),
            assistant("Yes, all of it."),
            user("The critic said: Nonsense."),
            assistant("Noted."),
        ]
    );
    assert_eq!(
        journal.history("apart"),
        [
            (Role::System, "You never saw the question.".to_owned()),
            assistant("I am listening."),
            user("Judge this: Yes, all of it."),
            assistant("Nonsense."),
        ]
    );
    let apart = &journal.view().contexts["apart"].record;
    assert_eq!(apart.context_type, ContextType::Isolated);
    assert_eq!(apart.parent_context_id.as_ref().map(plait_core::id::ContextId::as_str), Some("main"));

    let [main, critic, closing] = &provider.sent()[..] else { panic!("{:#?}", provider.sent()) };
    assert_eq!(main.system.as_deref(), Some("You are terse."));
    // System messages of the history follow the context's instructions.
    assert_eq!(critic.system.as_deref(), Some("You are a strict critic.\n\nYou never saw the question."));
    assert_eq!(critic.messages, journal.history("apart")[1..3]);
    assert_eq!(closing.messages, journal.history("main")[..3]);
}

#[tokio::test]
async fn inputs_write_to_the_context_on_their_edge() {
    let provider = RecordingProvider::echo();
    let journal = App::with(&provider).run(&flow("inputs-write"), ["For main"]).await;

    assert_eq!(journal.history("main"), [user("For main"), assistant("re: For main")]);
    assert_eq!(journal.history("apart"), [user("For the other one"), assistant("re: For the other one")]);
    let mut sent: Vec<_> = provider.sent().into_iter().map(|sent| sent.messages).collect();
    sent.sort_by(|a, b| a[0].1.cmp(&b[0].1));
    assert_eq!(
        sent,
        [vec![user("For main")], vec![user("For the other one")]],
        "once each, and only their own"
    );
}

/// Two chats of one conversation, with a `setContext` between them.
fn with_change(set: &Value, edges: &[&str]) -> plait_core::flow::Flow {
    let nodes = json!({
        "start": { "type": "contextStart", "config": {
            "provider": "first", "model": "small", "systemInstructions": "You are terse.",
        } },
        "one": { "type": "manualInput", "config": { "text": "One" } },
        "two": { "type": "manualInput", "config": { "text": "Two" } },
        "tone": { "type": "manualInput", "config": { "text": "kind" } },
        "before": { "type": "chat" },
        "set": { "type": "setContext", "config": set },
        "next": { "type": "chat" },
    });
    let common =
        ["start.context -> before.context", "one.value -> before.message", "two.value -> next.message"];
    let edges: Vec<&str> = common.into_iter().chain(edges.iter().copied()).collect();
    parse_flow(&flow_json("Change", nodes, &edges))
}

const IN_LINE: [&str; 2] = ["before.context -> set.context", "set.context -> next.context"];

#[tokio::test]
async fn set_context_changes_what_the_next_chat_sends() {
    let provider = RecordingProvider::echo();
    let set = json!({
        "systemInstructions": "You are {{tone}}.", "provider": "second", "model": "large", "resetHistory": true,
    });
    let edges = [IN_LINE[0], IN_LINE[1], "tone.value -> set.tone"];
    let journal = App::with(&provider).run(&with_change(&set, &edges), NO_RESPONSES).await;

    let [before, next] = &provider.sent()[..] else { panic!("{:#?}", provider.sent()) };
    assert_eq!((before.model.as_str(), before.system.as_deref()), ("small", Some("You are terse.")));
    assert_eq!((next.model.as_str(), next.system.as_deref()), ("large", Some("You are kind.")));
    assert_eq!(next.messages, [user("Two")], "the history was cleared");
    assert_eq!(journal.history("main"), [user("Two"), assistant("re: Two")]);
    let main = &journal.view().contexts["main"].record;
    assert_eq!((&*main.provider, &*main.model), ("second", "large"));
}

#[tokio::test]
async fn each_change_of_a_context_leaves_the_others() {
    let sent = async |set: Value| {
        let provider = RecordingProvider::echo();
        App::with(&provider).run(&with_change(&set, &IN_LINE), NO_RESPONSES).await;
        provider.sent().pop().unwrap()
    };
    let history = [user("One"), assistant("re: One"), user("Two")];

    let instructed = sent(json!({ "systemInstructions": "You are kind." })).await;
    assert_eq!((instructed.model.as_str(), instructed.system.as_deref()), ("small", Some("You are kind.")));
    assert_eq!(instructed.messages, history);
    let silent = sent(json!({ "systemInstructions": "" })).await;
    assert_eq!((silent.system, silent.messages), (None, history.to_vec()));
    let switched = sent(json!({ "model": "large" })).await;
    assert_eq!((switched.model.as_str(), switched.system.as_deref()), ("large", Some("You are terse.")));
    assert_eq!(switched.messages, history);
    let reset = sent(json!({ "resetHistory": true })).await;
    assert_eq!((reset.model.as_str(), reset.system.as_deref()), ("small", Some("You are terse.")));
    assert_eq!(reset.messages, [user("Two")]);
}

#[tokio::test]
async fn set_context_by_name_takes_its_place_in_the_turn_order() {
    let provider = RecordingProvider::echo();
    let edges =
        ["before.response -> set.after", "before.context -> next.context", "set.contextId -> next.after"];
    let set = json!({ "contextId": "main", "model": "large" });
    App::with(&provider).run(&with_change(&set, &edges), NO_RESPONSES).await;
    let models: Vec<_> = provider.sent().into_iter().map(|sent| sent.model).collect();
    assert_eq!(models, ["small", "large"]);
}
