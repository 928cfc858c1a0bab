//! Loops: pausing and resuming in an iteration, and what iterations leave in a conversation.

use plait_api::conversations::{ConversationFlow, ListMessages, OpenConversation};
use plait_api::runs::{RunRequest, StartRun};
use plait_core::flow::Flow;
use plait_journal::view::RunStatus;
use plait_llm::context::Role;
use serde_json::{Value, json};

use crate::support::app::{App, PauseResponse};
use crate::support::binary::Home;
use crate::support::folder::{flow_json, parse_flow};
use crate::support::journal::Journal;
use crate::support::provider::{RecordingProvider, user};

const TALK: &str = r#"version: "0.1"
name: Talk
steps:
  - kind: loop
    name: talk
    loop:
      condition: index < 3
      conversation: true
      body:
        - kind: hitl
          name: ask
          prompt: "Question {{previous}}"
        - kind: step
          name: clarify
"#;

fn count(events: &[Value], event_type: &str, node: &str) -> usize {
    events.iter().filter(|event| event["type"] == event_type && event["node"] == node).count()
}

#[test]
fn loop_waits_in_its_iteration_across_processes() {
    let home = Home::default();
    let file = home.file("talk.yaml", TALK);
    let first = home.plait(&["run", &file, "--json"]);
    assert_eq!((first.code, first.last_type().as_str()), (3, "run.waiting"), "{first:#?}");
    let second = home.plait(&["resume", &file, "--answer", "one", "--json"]);
    assert_eq!((second.code, second.last_type().as_str()), (3, "run.waiting"), "{second:#?}");
    let paused: Vec<_> = second.events().into_iter().filter(|event| event["type"] == "run.paused").collect();
    assert_eq!(paused.last().unwrap()["epoch"], json!([1]), "{second:#?}");
    let last = home.plait(&["resume", &file, "--answer", "two", "--answer", "three", "--json"]);
    assert_eq!((last.code, last.last_type().as_str()), (0, "run.finished"), "{last:#?}");
    let outputs = last.events().pop().unwrap()["outputs"].clone();
    assert_eq!(outputs["talk"]["iterations"], json!(3), "{outputs}");
    // Across all three processes, each reply was bought once.
    let mut all = first.events();
    all.extend(second.events());
    all.extend(last.events());
    all.sort_by_key(|event| event["seq"].as_u64());
    all.dedup_by_key(|event| event["seq"].as_u64());
    assert_eq!(count(&all, "model.replied", "clarify"), 3);
    assert_eq!(count(&all, "iteration.started", "talk"), 3);
}

/// A chat in a loop that works in the conversation. If it `fails`, the expression behind the second turn can't be
/// evaluated.
fn conversing(fails: bool) -> Flow {
    let condition = if fails { "!value.contains('turn 1') || value.missing" } else { "true" };
    let flow = flow_json(
        "conversing",
        json!({
            "start": { "type": "contextStart" },
            "l": { "type": "loop", "config": { "kind": "times", "times": 2 } },
            "say": { "type": "text", "parent": "l", "config": { "template": "turn {{index}}" } },
            "chat": { "type": "chat", "parent": "l" },
            "check": {
                "type": "switch", "parent": "l", "config": { "cases": [{ "name": "ok", "when": condition }] },
            },
            "caught": { "type": "text", "config": { "template": "{{error.code}}" } },
        }),
        &[
            "start.context -> l.context",
            "l.context -> chat.context",
            "l.index -> say.index",
            "say.text -> chat.message",
            "chat.response -> check.value",
            "check.ok -> l.next",
            "l.error -> caught.error",
        ],
    );
    parse_flow(&flow)
}

async fn run(fails: bool) -> (Journal, Vec<(Role, String)>) {
    let app = App::with(&RecordingProvider::echo());
    let flow = conversing(fails);
    let of = ConversationFlow::new(&flow, None);
    let conversation = app.plait.call(OpenConversation { flow: of, user: None, new: true }).await.unwrap().id;
    let request = RunRequest { flow, conversation: Some(conversation.clone()), ..RunRequest::default() };
    let run = app.plait.call(StartRun(request)).await.unwrap().run;
    let journal = app.follow(&run, Vec::<PauseResponse>::new()).await;
    let page = ListMessages { conversation, from: 0, limit: Some(100) };
    let page = app.plait.call(page).await.unwrap();
    (journal, page.messages.into_iter().map(|message| (message.role, message.content.text())).collect())
}

#[tokio::test]
async fn turns_of_iterations_become_turns_of_the_conversation() {
    let (journal, stored) = run(false).await;
    assert_eq!(journal.view().outline.status, RunStatus::Finished);
    let said: Vec<_> = stored.iter().map(|(role, text)| (*role, text.as_str())).collect();
    assert_eq!(said.len(), 4, "{said:?}");
    assert_eq!((said[0], said[2]), ((Role::User, "turn 0"), (Role::User, "turn 1")));
    assert_eq!(journal.history("main").len(), 4);
}

#[tokio::test]
async fn turns_of_a_failed_iteration_never_count() {
    let (journal, stored) = run(true).await;
    assert_eq!(journal.view().outline.status, RunStatus::Finished, "the loop's error output takes it");
    assert_eq!(stored.len(), 2, "{stored:?}");
    assert_eq!(stored[0], user("turn 0"));
    assert_eq!(journal.history("main").len(), 2, "the view shows what counts");
}
