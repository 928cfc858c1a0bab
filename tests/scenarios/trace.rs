//! The chain tools → process → format next to a pause: the chain runs at once, the chat waits for both.

use plait_core::id::Activation;
use plait_journal::{Event, NodeEvent};
use plait_llm::context::Role;
use serde_json::json;

use crate::support::app::App;
use crate::support::flow;
use crate::support::provider::RecordingProvider;

const MESSAGE: &str = "[calculator][current_time]";

#[tokio::test]
async fn chain_runs_while_the_pause_waits() {
    let provider = RecordingProvider::echo();
    let app = App::with(&provider);
    let flow = flow("tools-process-format");

    let run = app.start(&flow).await;
    let no_responses: [&str; 0] = [];
    let waiting = app.follow(&run, no_responses).await;
    let done: Vec<_> = waiting.finish_counts().into_keys().collect();
    assert_eq!(done, ["formatNode", "processNode", "start", "toolsNode"], "all but what needs the person");
    assert!(provider.sent().is_empty(), "the chat waits for its second input");

    let journal = app.follow(&run, ["Hello"]).await;

    // Each node once.
    let once: Vec<_> = journal.finish_counts().into_values().collect();
    assert_eq!(once, [1; 7]);
    assert!(
        !journal.events().any(|event| matches!(
            event,
            Event::Node(_, NodeEvent::Skipped { .. } | NodeEvent::Failed { .. })
        ))
    );
    // In this order.
    let order = [
        journal.position("node.finished", "toolsNode"),
        journal.position("node.finished", "processNode"),
        journal.position("node.finished", "formatNode"),
        journal.position("run.waiting", ""),
        journal.position("input.provided", "userInput"),
        journal.position("node.finished", "userInput"),
        journal.position("node.ready", "chatNode"),
        journal.position("node.finished", "chatNode"),
        journal.position("node.finished", "responseNode"),
        journal.position("run.finished", ""),
    ];
    assert!(order.is_sorted(), "{order:?}");
    assert!(journal.position("run.paused", "userInput") < journal.position("run.waiting", ""));
    assert_eq!(order[9], journal.0.len() - 1, "the response ends the run");

    // The inputs of the chat come from the format node and the person.
    let sources = journal.events().find_map(|event| match event {
        Event::Node(Activation { node, .. }, NodeEvent::Ready { inputs, .. })
            if node.as_str() == "chatNode" =>
        {
            Some(inputs.clone())
        }
        _ => None,
    });
    let fed: Vec<_> = sources
        .unwrap()
        .into_iter()
        .filter(|(port, _)| port.as_str() != "context")
        .map(|(port, from)| (port.to_string(), from[0].node.to_string()))
        .collect();
    assert_eq!(fed, [("formattedData".into(), "formatNode".into()), ("message".into(), "userInput".into())]);
    assert_eq!(journal.output("processNode", "text"), json!(MESSAGE));
    let [sent] = &provider.sent()[..] else { panic!("one call") };
    assert_eq!(sent.messages, [(Role::User, format!("Tools at hand: {MESSAGE}\nHello"))]);
    assert_eq!(sent.system.as_deref(), Some("You are terse."));
    assert_eq!(journal.output("responseNode", "value"), json!(format!("re: {}", sent.last_text())));
}

#[tokio::test]
async fn answer_is_accepted_once_and_by_the_waiting_node_only() {
    use plait_api::runs::AnswerRun;
    let provider = RecordingProvider::echo();
    let app = App::with(&provider);
    let run = app.start(&flow("tools-process-format")).await;
    let no_responses: [&str; 0] = [];
    app.follow(&run, no_responses).await;

    let answer = |node: &str, value: serde_json::Value| AnswerRun {
        run: run.clone(),
        node: node.into(),
        epoch: plait_core::id::Epoch::root(),
        value,
        attachments: Vec::new(),
    };
    let refused = app.plait.call(answer("chatNode", json!("Hello"))).await.unwrap_err();
    assert_eq!(refused.code, "answer.not_waiting");
    let refused = app.plait.call(answer("userInput", json!(7))).await.unwrap_err();
    assert_eq!(refused.code, "answer.invalid");
    app.plait.call(answer("userInput", json!("Hello"))).await.unwrap();
    let refused = app.plait.call(answer("userInput", json!("Again"))).await.unwrap_err();
    assert!(["answer.not_waiting", "run.ended"].contains(&refused.code.as_str()), "{refused:?}");
    let journal = app.follow(&run, no_responses).await;
    let answers =
        journal.events().filter(|event| matches!(event, Event::Node(_, NodeEvent::Answered { .. }))).count();
    assert_eq!(answers, 1, "refused answers are not journaled");
}
