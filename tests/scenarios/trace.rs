//! The trace tools → process → format with a pause beside it: the chain runs at once, the join waits for the person.

use plait_api::engine::context::Role;
use plait_api::engine::id::Activation;
use plait_api::engine::journal::{Event, NodeEvent};
use serde_json::json;

use crate::support::app::App;
use crate::support::flow;
use crate::support::provider::Recording;

const MESSAGE: &str = "[calculator][current_time]";

#[tokio::test]
async fn the_chain_runs_the_pause_waits_and_the_join_takes_both() {
    let provider = Recording::echo();
    let app = App::with(&provider);
    let flow = flow("tools-process-format");

    let run = app.start(&flow).await;
    let nobody: [&str; 0] = [];
    let waiting = app.follow(&run, nobody).await;
    let done: Vec<_> = waiting.finished().into_keys().collect();
    assert_eq!(done, ["formatNode", "processNode", "start", "toolsNode"], "all but what needs the person");
    assert!(provider.sent().is_empty(), "the chat waits for its second input");

    let journal = app.follow(&run, ["Hello"]).await;

    // Each node once.
    let once: Vec<_> = journal.finished().into_values().collect();
    assert_eq!(once, [1; 7]);
    assert!(
        !journal.events().any(|event| matches!(
            event,
            Event::Node(_, NodeEvent::Skipped { .. } | NodeEvent::Failed { .. })
        ))
    );
    // In the order of the trace.
    let order = [
        journal.place("node.finished", "toolsNode"),
        journal.place("node.finished", "processNode"),
        journal.place("node.finished", "formatNode"),
        journal.place("run.waiting", ""),
        journal.place("input.provided", "userInput"),
        journal.place("node.finished", "userInput"),
        journal.place("node.ready", "chatNode"),
        journal.place("node.finished", "chatNode"),
        journal.place("node.finished", "responseNode"),
        journal.place("run.finished", ""),
    ];
    assert!(order.is_sorted(), "{order:?}");
    assert!(journal.place("run.paused", "userInput") < journal.place("run.waiting", ""));
    assert_eq!(order[9], journal.0.len() - 1, "the response ends the run");

    // The chat takes {formattedData, message}, each from where the trace says.
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
    assert_eq!(journal.output("responseNode", "value"), json!(format!("re: {}", sent.question())));
}

#[tokio::test]
async fn an_answer_can_go_to_no_other_node_and_not_twice() {
    use plait_api::runs::AnswerRun;
    let provider = Recording::echo();
    let app = App::with(&provider);
    let run = app.start(&flow("tools-process-format")).await;
    let nobody: [&str; 0] = [];
    app.follow(&run, nobody).await;

    let answer = |node: &str, value: serde_json::Value| AnswerRun {
        run: run.clone(),
        node: node.into(),
        epoch: plait_api::engine::id::Epoch::root(),
        value,
    };
    let refused = app.plait.call(answer("chatNode", json!("Hello"))).await.unwrap_err();
    assert_eq!(refused.code, "answer.not_waiting");
    let refused = app.plait.call(answer("userInput", json!(7))).await.unwrap_err();
    assert_eq!(refused.code, "answer.invalid");
    app.plait.call(answer("userInput", json!("Hello"))).await.unwrap();
    let refused = app.plait.call(answer("userInput", json!("Again"))).await.unwrap_err();
    assert!(
        ["answer.not_waiting", "run.not_running", "run.ended"].contains(&refused.code.as_str()),
        "{refused:?}"
    );
    let journal = app.follow(&run, nobody).await;
    let given =
        journal.events().filter(|event| matches!(event, Event::Node(_, NodeEvent::Answered { .. }))).count();
    assert_eq!(given, 1, "what was refused stands nowhere");
}
