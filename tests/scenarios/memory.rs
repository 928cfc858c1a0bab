//! The workflow's memory across the runs of a conversation, through the real store.

use plait_api::conversations::{ConversationFlow, OpenConversation};
use plait_api::runs::{RunRequest, StartRun};
use plait_core::flow;
use plait_core::flow::Flow;
use plait_core::id::ConversationId;
use serde_json::json;

use crate::support::app::{App, PauseResponse};
use crate::support::journal::Journal;
use crate::support::provider::{RecordingProvider, user};

/// An agent in a context of its own, which recalls nothing: all that it knows of earlier runs is the workflow's memory.
fn agent() -> Flow {
    let document = json!({
        "version": 1,
        "name": "Agent",
        "settings": { "memory": { "mode": "readWrite" } },
        "nodes": {
            "start": { "type": "contextStart" },
            "side": { "type": "newContext" },
            "ask": { "type": "userInput", "config": { "addToHistory": false } },
            "agent": { "type": "chat", "config": { "memory": { "label": "Agent" } } },
        },
        "edges": {
            "a": { "source": "side", "sourceOutput": "context", "target": "agent", "targetInput": "context" },
            "b": { "source": "ask", "sourceOutput": "message", "target": "agent", "targetInput": "message" },
        },
    });
    flow::read(&document.to_string()).unwrap()
}

async fn run(app: &App, conversation: Option<&ConversationId>, text: &str) -> Journal {
    let conversation = conversation.cloned();
    let request = RunRequest { flow: agent(), conversation, ..RunRequest::default() };
    let started = app.plait.call(StartRun(request)).await.unwrap();
    app.follow(&started.run, [PauseResponse::from(text)]).await
}

#[tokio::test]
async fn memory_of_a_conversation_lives_on_in_later_runs_and_after_a_restart() {
    let provider = RecordingProvider::echo();
    let app = App::with(&provider);
    let flow = ConversationFlow::new(&agent(), None);
    let conversation = app.plait.call(OpenConversation { flow, user: None, new: true }).await.unwrap().id;
    run(&app, Some(&conversation), "one").await;
    let app = app.reopen(&provider).await;
    run(&app, Some(&conversation), "two").await;
    run(&app, None, "alone").await;
    let sent = provider.sent();
    assert_eq!(sent[0].messages, [user("Partner just said: one")]);
    let block = "Memory of this workflow:\nPartner just said: one\nAgent: re: Partner just said: one\n\n\
                 Partner just said: two";
    assert_eq!(sent[1].messages, [user(block)]);
    // A run outside of the conversation has a memory of its own.
    assert_eq!(sent[2].messages, [user("Partner just said: alone")]);
}
