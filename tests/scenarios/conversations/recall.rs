//! What later runs of a conversation recall: the latest messages within bounds, or a summary of what is older.

use super::*;

/// `chat-cycle` with these conversation settings.
fn chat_with_memory(memory: serde_json::Value) -> Flow {
    let mut flow = chat();
    let start = flow.nodes.get_mut("start").unwrap();
    start.config.insert("conversation".to_owned(), memory);
    flow
}

async fn run_turns_of(app: &App, flow: &Flow, conversation: &ConversationId, texts: &[&str]) -> Journal {
    let run = start(app, flow, conversation).await;
    app.follow(&run, texts.iter().map(|text| PauseResponse::from(*text)).chain([PauseResponse::End])).await
}

#[tokio::test]
async fn recall_respects_both_limits_and_starts_with_a_user_message() {
    let provider = RecordingProvider::echo();
    let app = App::with(&provider);
    let flow = chat_with_memory(json!({ "maxMessages": 3 }));
    let conversation = open_conversation(&app, &flow).await;
    run_turns_of(&app, &flow, &conversation, &["one", "two"]).await;
    run_turns_of(&app, &flow, &conversation, &["three"]).await;
    let sent = |call: usize| provider.sent()[call].messages.clone();
    assert_eq!(
        sent(2),
        [user("two"), assistant("re: two"), user("three")],
        "three would start with an assistant message"
    );

    // By tokens: each turn has 4 + 1 and 4 + 4.
    let flow = chat_with_memory(json!({ "maxTokens": 20 }));
    run_turns_of(&app, &flow, &conversation, &["four"]).await;
    assert_eq!(sent(3), [user("three"), assistant("re: three"), user("four")]);
    let flow = chat_with_memory(json!({ "maxTokens": 5 }));
    run_turns_of(&app, &flow, &conversation, &["five"]).await;
    assert_eq!(sent(4), [user("five")], "not even one turn fits");
    assert_eq!(stored_messages(&app, &conversation).await.len(), 10, "omitted messages are stored");
}

#[tokio::test]
async fn summary_replaces_older_messages_and_is_requested_once() {
    let provider = RecordingProvider::with_rule(|sent, _| {
        let is_summary =
            sent.system.as_deref().is_some_and(|system| system.starts_with("You keep the memory"));
        let said = if is_summary { "They counted.".to_owned() } else { format!("re: {}", sent.last_text()) };
        Ok(text(&said))
    });
    let app = App::with(&provider);
    let flow = chat_with_memory(json!({ "strategy": "summarize", "maxMessages": 4, "keepRecent": 2 }));
    let conversation = open_conversation(&app, &flow).await;
    run_turns_of(&app, &flow, &conversation, &["one", "two", "three"]).await;
    let app = app.reopen(&provider).await;
    let journal = run_turns_of(&app, &flow, &conversation, &["four"]).await;

    let summary = "Summary of the conversation before the messages below:\n  They counted.";
    let sent = provider.sent();
    assert_eq!(sent.len(), 5, "three turns, a summary, a turn");
    assert!(
        sent[3].last_text().ends_with("user: one\n\nassistant: re: one\n\nuser: two\n\nassistant: re: two\n")
    );
    assert_eq!(sent[4].system.as_deref(), Some(&*format!("You are terse.\n\n{summary}")));
    assert_eq!(sent[4].messages, [user("three"), assistant("re: three"), user("four")]);
    assert_eq!(journal.history("main")[0], (Role::System, summary.to_owned()), "read back from the store");
    // The next run has room for the newer messages and reuses the summary.
    run_turns_of(&app, &flow, &conversation, &["five"]).await;
    let sent = provider.sent();
    assert_eq!(sent.len(), 6);
    assert_eq!(sent[5].system.as_deref(), Some(&*format!("You are terse.\n\n{summary}")));
    let all: Vec<_> = ["one", "two", "three", "four", "five"]
        .iter()
        .flat_map(|said| [user(said), assistant(&format!("re: {said}"))])
        .collect();
    assert_eq!(sent[5].messages, [&all[4..8], &[user("five")]].concat());
    assert_eq!(stored_messages(&app, &conversation).await, all, "summarized messages are stored");
}

/// The model of the summary refuses, or says nothing: that ends no run, and the next one asks again.
#[tokio::test]
async fn conversation_goes_on_without_a_summary_that_cannot_be_had() {
    let provider = RecordingProvider::with_rule(|sent, _| {
        let is_summary =
            sent.system.as_deref().is_some_and(|system| system.starts_with("You keep the memory"));
        if is_summary && sent.last_text().contains("three") {
            return Err(Fault::new(plait_run::codes::PROVIDER_BAD_REQUEST, "No."));
        }
        Ok(text(&if is_summary { " ".to_owned() } else { format!("re: {}", sent.last_text()) }))
    });
    let app = App::with(&provider);
    let flow = chat_with_memory(json!({ "strategy": "summarize", "maxMessages": 4, "keepRecent": 2 }));
    let conversation = open_conversation(&app, &flow).await;
    run_turns_of(&app, &flow, &conversation, &["one", "two", "three"]).await;
    for words in ["four", "five"] {
        let journal = run_turns_of(&app, &flow, &conversation, &[words]).await;
        let recalled = journal.events().find_map(|event| match event {
            Event::Context(_, ContextEvent::Changed { change: ContextChange::Recalled(recalled), .. }) => {
                Some(recalled.clone())
            }
            _ => None,
        });
        let recalled = recalled.unwrap();
        let code = recalled.error.as_ref().map(|error| error.code.as_str().to_owned());
        let expected = if words == "four" { "conversation.no_summary" } else { "provider.bad_request" };
        assert_eq!(code.as_deref(), Some(expected), "{words}");
    }
    let sent = provider.sent();
    let answered: Vec<_> = sent.iter().filter(|call| call.last_text() == "five").collect();
    // The newest messages that fit.
    assert_eq!(answered[0].messages.len(), 5, "{:?}", answered[0].messages);
    assert_eq!(answered[0].messages[0], user("three"));
}

/// Neither the person's words nor the results of the child are missing in later runs.
#[tokio::test]
async fn conversation_of_a_person_and_a_sub_flow_recalls_both() {
    let provider = RecordingProvider::echo();
    let app = App::with(&provider);
    let child = json!({
        "version": 1, "name": "child",
        "nodes": {
            "i": { "type": "manualInput" },
            "t": { "type": "text", "config": { "template": "re: {{value}}" } },
            "o": { "type": "output" },
        },
        "edges": {
            "a": { "source": "i", "sourceOutput": "value", "target": "t", "targetInput": "value" },
            "b": { "source": "t", "sourceOutput": "text", "target": "o", "targetInput": "value" },
        },
    });
    let document = json!({
        "version": 1, "name": "parent",
        "nodes": {
            "start": { "type": "contextStart" },
            "ask": { "type": "userInput" },
            "child": { "type": "subflow", "config": { "flow": child } },
        },
        "edges": {
            "a": { "source": "start", "sourceOutput": "context", "target": "ask", "targetInput": "context" },
            "b": { "source": "ask", "sourceOutput": "context", "target": "child", "targetInput": "context" },
        },
    });
    let flow = plait_core::flow::read(&document.to_string()).unwrap();
    let conversation = open_conversation(&app, &flow).await;
    let words = ["one", "two", "three", "four"];
    let mut said = Vec::new();
    for word in words {
        let run = start(&app, &flow, &conversation).await;
        let journal = app.follow(&run, [PauseResponse::from(word)]).await;
        said.extend([user(word), assistant(&format!("re: {word}"))]);
        assert_eq!(journal.history("main"), said);
    }
    assert_eq!(stored_messages(&app, &conversation).await, said);
}

#[tokio::test]
async fn resumed_run_recalls_the_same_messages_as_before() {
    let provider = RecordingProvider::echo();
    let app = App::with(&provider);
    let conversation = open_conversation(&app, &chat()).await;
    run_turns(&app, &conversation, &["one"]).await;
    let waiting = start(&app, &chat(), &conversation).await;
    let no_responses: [&str; 0] = [];
    app.follow(&waiting, no_responses).await;
    // Meanwhile another run adds a turn to the conversation.
    run_turns(&app, &conversation, &["two"]).await;
    let app = app.reopen(&provider).await;
    app.follow(&waiting, [PauseResponse::from("three"), PauseResponse::End]).await;
    let sent = provider.sent();
    assert_eq!(sent[2].messages, [user("one"), assistant("re: one"), user("three")]);
    // In the order in which the turns were committed.
    let said: Vec<_> = stored_messages(&app, &conversation).await.into_iter().map(|(_, text)| text).collect();
    assert_eq!(said, ["one", "re: one", "two", "re: two", "three", "re: three"]);
}
