//! `contextStart → userInput ⟲ chat` with tools: a conversation in one cycle.

use plait_journal::view::RunStatus;
use plait_journal::{Event, RunEvent};

use crate::support::app::{App, PauseResponse};
use crate::support::flow;
use crate::support::provider::{RecordingProvider, assistant, user};

const QUESTIONS: [&str; 5] = ["one", "two", "three", "four", "five"];

fn responses() -> impl Iterator<Item = PauseResponse> {
    QUESTIONS.into_iter().map(PauseResponse::from).chain([PauseResponse::End])
}

#[tokio::test]
async fn five_turns_make_ten_messages() {
    let provider = RecordingProvider::echo();
    let app = App::with(&provider);
    let journal = app.run(&flow("chat-cycle"), responses()).await;

    assert_eq!(journal.view().outline.status, RunStatus::Finished);
    let history: Vec<_> =
        QUESTIONS.iter().flat_map(|text| [user(text), assistant(&format!("re: {text}"))]).collect();
    assert_eq!(journal.history("main"), history);
    let finished = journal.finish_counts();
    assert_eq!((finished["tools"], finished["start"]), (1, 1), "nodes outside of the cycle run once");
    assert_eq!((finished["chat"], finished["ask"]), (5, 6), "the sixth question was ended, not answered");
    let epochs = journal.node_events(&["loop.iteration"]);
    assert_eq!(epochs, (1..=5).map(|at| format!("loop.iteration ask#{at}")).collect::<Vec<_>>());

    // Each call had all earlier messages and nothing else.
    let sent = provider.sent();
    assert_eq!(sent.len(), 5);
    for (turn, call) in sent.iter().enumerate() {
        assert_eq!(call.messages, history[..=turn * 2], "call {turn}");
        assert_eq!(call.system.as_deref(), Some("You are terse."));
        assert_eq!(call.tools, ["calculator"]);
    }
}

#[tokio::test]
async fn restart_between_turns_changes_nothing() {
    let expected = {
        let provider = RecordingProvider::echo();
        App::with(&provider).run(&flow("chat-cycle"), responses()).await
    };
    let provider = RecordingProvider::echo();
    let mut app = App::with(&provider);
    let run = app.start(&flow("chat-cycle")).await;
    let no_responses: [&str; 0] = [];
    app.follow(&run, no_responses).await;
    for response in responses() {
        app = app.reopen(&provider).await;
        app.follow(&run, [response]).await;
    }
    let journal = app.follow(&run, no_responses).await;
    assert_eq!(journal.history("main"), expected.history("main"));
    assert_eq!(journal.finish_counts(), expected.finish_counts());
    assert_eq!(provider.sent().len(), 5, "no call was repeated");
    let message_ids = |journal: &crate::support::journal::Journal| -> Vec<_> {
        journal.view().contexts["main"]
            .record
            .message_history
            .iter()
            .map(|message| message.id.clone())
            .collect()
    };
    assert_eq!(message_ids(&journal), message_ids(&expected));
}

#[tokio::test]
async fn late_and_slow_watchers_get_every_event_once_in_order() {
    let provider = RecordingProvider::echo();
    let app = App::with(&provider);
    let run = app.start(&flow("chat-cycle")).await;
    // Opened at once, read only after the end.
    let mut slow = app.plait.runs().watch(&run, 0).await.unwrap();
    let journal = app.follow(&run, responses()).await;
    let mut late = app.plait.runs().watch(&run, 3).await.unwrap();

    let mut batched = Vec::new();
    while let Some(batch) = slow.next_batch(std::time::Duration::from_millis(1)).await {
        batched.extend(batch.unwrap().into_iter().filter(|entry| entry.seq.is_some()));
    }
    assert_eq!(batched, journal.0);
    let mut from_three = Vec::new();
    while let Some(entry) = late.next().await {
        from_three.push(entry.unwrap());
    }
    assert_eq!(from_three, journal.0[3..], "nothing is left to stream: events only");
    assert!(matches!(from_three.last().unwrap().event, Event::Run(RunEvent::Finished { .. })));
}
