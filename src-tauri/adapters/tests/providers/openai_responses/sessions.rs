//! Conversations kept on their side: what is sent is only ever less, never something else.

use std::sync::Arc;

use plait_engine::context::Message;
use plait_engine::provider::{ModelRequest, Provider};
use serde_json::{Value, json};

use super::{KIND, completed, says, stream_of};
use crate::asked::{asks, says as said, shared, tells, tool, user};
use crate::server::{Answer, Server, call, provider, request};

fn asked(messages: impl IntoIterator<Item = Message>) -> ModelRequest {
    ModelRequest {
        system: Some("Be brief.".into()),
        messages: shared(messages),
        tools: vec![tool("size")],
        session: Some("main".into()),
        options: json!({"session": true}),
        ..request()
    }
}

/// What was sent of the conversation, behind which reply, and whether it may be kept.
fn sent(body: &Value) -> (Option<&str>, Vec<&str>, bool) {
    let previous = body.get("previous_response_id").map(|id| id.as_str().expect("text"));
    let words = |item| ["content", "output", "name"].iter().find_map(|key| Value::get(item, key)?.as_str());
    let items = body["input"].as_array().expect("items").iter().map(|item| words(item).expect("words"));
    (previous, items.collect(), body["store"] == json!(true))
}

async fn ask(provider: &dyn Provider, request: ModelRequest) {
    call(provider, request).await.0.expect("a reply");
}

async fn answering(ids: &[&str]) -> (Server, Arc<dyn Provider>) {
    let server = Server::saying(ids.iter().map(|id| says(id, &format!("Answer {id}.")))).await;
    let provider = server.provider(KIND);
    (server, provider)
}

#[tokio::test]
async fn only_what_is_new_is_sent() {
    let (server, provider) = answering(&["r1", "r2", "r3"]).await;
    let first = [user("One?")];
    let second = [&first[..], &[said("Answer r1."), user("Two?")]].concat();
    let third = [&second[..], &[said("Answer r2."), user("Three?")]].concat();
    for messages in [first.to_vec(), second, third] {
        ask(&*provider, asked(messages)).await;
    }
    let received = server.received();
    // All of it, to the last key.
    let tools = received[0].body["tools"].clone();
    assert_eq!(
        received[1].body,
        json!({
            "model": "tiny", "stream": true, "store": true, "instructions": "Be brief.", "tools": tools,
            "previous_response_id": "r1", "input": [{"role": "user", "content": "Two?"}],
        })
    );
    assert_eq!(sent(&received[0].body), (None, vec!["One?"], true));
    assert_eq!(sent(&received[2].body), (Some("r2"), vec!["Three?"], true));
}

/// In the rounds of its tools a model goes on from the reply that asked for them. The turn that is stored has none of
/// these rounds, so the next one goes on from the last reply that both know, or from the beginning.
#[tokio::test]
async fn rounds_of_tools() {
    let calls = json!({"type": "response.output_item.done", "output_index": 0, "item": {
        "type": "function_call", "call_id": "a", "name": "size", "arguments": "{\"x\": \"y\"}",
    }});
    let asks_for_tools = Answer::stream(stream_of(&[calls, completed("r2", &json!([]), &json!(null))]));
    let server =
        Server::saying([says("r1", "Hi."), asks_for_tools, says("r3", "42."), says("r4", "Bye.")]).await;
    let provider = server.provider(KIND);
    let begun = [user("Hello"), said("Hi."), user("How large?")];
    let round = [asks("", &[("a", "size", json!({"x": "y"}))]), tells("a", "42")];
    ask(&*provider, asked([user("Hello")])).await;
    ask(&*provider, asked(begun.clone())).await;
    ask(&*provider, asked([&begun[..], &round].concat())).await;
    ask(&*provider, asked([&begun[..], &[said("42."), user("Bye")]].concat())).await;
    let received: Vec<_> = server.received().into_iter().map(|received| received.body).collect();
    assert_eq!(sent(&received[1]), (Some("r1"), vec!["How large?"], true));
    assert_eq!(sent(&received[2]), (Some("r2"), vec!["42"], true));
    assert_eq!(sent(&received[3]), (Some("r1"), vec!["How large?", "42.", "Bye"], true));
}

type Change = fn(&mut ModelRequest);

#[tokio::test]
async fn whatever_was_changed_is_all_sent() {
    let error = [user("One?"), said("Answer r1."), user("Two?")];
    let same = asked(error.clone());
    let all = vec!["One?", "Answer r1.", "Two?"];
    let changes: [(&str, Change, Vec<&str>); 9] = [
        ("the model", |asked| asked.model = "large".into(), all.clone()),
        ("the instructions", |asked| asked.system = None, all.clone()),
        ("the tools", |asked| asked.tools.clear(), all.clone()),
        ("the session", |asked| asked.session = Some("other".into()), all.clone()),
        ("a trimmed history", |asked| drop(asked.messages.drain(..2)), vec!["Two?"]),
        (
            "an edited question",
            |asked| asked.messages[0] = Arc::new(user("Won?")),
            vec!["Won?", "Answer r1.", "Two?"],
        ),
        ("an edited answer", |asked| asked.messages[1] = Arc::new(said("No.")), vec!["One?", "No.", "Two?"]),
        (
            "an injected message",
            |asked| asked.messages.insert(1, Arc::new(user("Also."))),
            vec!["One?", "Also.", "Answer r1.", "Two?"],
        ),
        ("the same question again", |asked| asked.messages.truncate(1), vec!["One?"]),
    ];
    for (what, change, expected) in changes {
        let (server, provider) = answering(&["r1", "r2"]).await;
        ask(&*provider, asked([user("One?")])).await;
        let mut second = same.clone();
        change(&mut second);
        ask(&*provider, second).await;
        assert_eq!(sent(&server.received()[1].body), (None, expected, true), "{what}");
    }
    // What decides nothing about the past may change.
    let (server, provider) = answering(&["r1", "r2"]).await;
    ask(&*provider, asked([user("One?")])).await;
    let colder = ModelRequest { temperature: Some(0.0), max_tokens: Some(9), attempt: 2, ..same };
    ask(&*provider, colder).await;
    assert_eq!(sent(&server.received()[1].body), (Some("r1"), vec!["Two?"], true));
}

#[tokio::test]
async fn a_fork_goes_on_from_where_it_forks() {
    let (server, provider) = answering(&["r1", "r2", "r3"]).await;
    let first = [user("One?")];
    let then = |text: &str| [&first[..], &[said("Answer r1."), user(text)]].concat();
    ask(&*provider, asked(first.clone())).await;
    ask(&*provider, asked(then("Left?"))).await;
    ask(&*provider, asked(then("Right?"))).await;
    assert_eq!(sent(&server.received()[2].body), (Some("r1"), vec!["Right?"], true));
}

#[tokio::test]
async fn off_unless_asked_for() {
    let asked_with = |options: Value, messages: Vec<Message>| ModelRequest { options, ..asked(messages) };
    let second = || vec![user("One?"), said("Answer r1."), user("Two?")];
    for (setting, option, is_on) in [
        (None, Value::Null, false),
        (None, json!({"session": false}), false),
        (Some(false), json!({"session": true}), true),
        (Some(true), json!({"session": false}), false),
        (Some(true), json!({"session": null}), true),
        (Some(true), Value::Null, true),
    ] {
        let (server, _) = answering(&["r1", "r2"]).await;
        let mut settings = server.settings(KIND);
        settings.sessions = setting;
        let provider = provider(settings);
        ask(&*provider, asked_with(option.clone(), vec![user("One?")])).await;
        ask(&*provider, asked_with(option.clone(), second())).await;
        let expected = if is_on {
            (Some("r1"), vec!["Two?"], true)
        } else {
            (None, vec!["One?", "Answer r1.", "Two?"], false)
        };
        assert_eq!(sent(&server.received()[1].body), expected, "{setting:?} {option}");
    }
    // Nothing to keep it under: nothing is kept.
    let (server, provider) = answering(&["r1"]).await;
    ask(&*provider, ModelRequest { session: None, ..asked([user("One?")]) }).await;
    assert_eq!(sent(&server.received()[0].body), (None, vec!["One?"], false));
}

#[tokio::test]
async fn what_they_no_longer_have_is_sent_once_more_in_full() {
    let gone = |status| {
        let error = json!({"message": "Previous response with id 'r1' not found.", "code": "previous_response_not_found"});
        Answer::json(status, &json!({"error": error}).to_string())
    };
    let second = [user("One?"), said("Answer r1."), user("Two?")];
    let all = vec!["One?", "Answer r1.", "Two?"];
    for status in [400, 404] {
        let answers = [says("r1", "Answer r1."), gone(status), says("r2", "Fine."), says("r3", "Fine.")];
        let server = Server::saying(answers).await;
        let provider = server.provider(KIND);
        ask(&*provider, asked([user("One?")])).await;
        ask(&*provider, asked(second.clone())).await;
        // It is not tried again.
        ask(&*provider, asked(second.clone())).await;
        let received: Vec<_> = server.received().into_iter().map(|received| received.body).collect();
        assert_eq!(sent(&received[1]), (Some("r1"), vec!["Two?"], true));
        assert_eq!(sent(&received[2]), (None, all.clone(), true));
        assert_eq!(sent(&received[3]), (None, all.clone(), true));
        assert_eq!(received.len(), 4);
    }
    // Once, and only for what may mean that.
    for (status, code, requests) in [
        (400, "provider.bad_request", 3),
        (429, "provider.rate_limited", 2),
        (500, "provider.server_error", 2),
    ] {
        let server = Server::saying([says("r1", "Answer r1."), gone(status), gone(status)]).await;
        let provider = server.provider(KIND);
        ask(&*provider, asked([user("One?")])).await;
        let fault = call(&*provider, asked(second.clone())).await.0.expect_err("a fault");
        assert_eq!((fault.code.as_str(), server.received().len()), (code, requests));
    }
}

/// A reply that never came whole is nothing to go on from.
#[tokio::test]
async fn a_cut_reply_is_not_remembered() {
    let cut = Answer::stream(stream_of(&[
        json!({"type": "response.created", "response": {"id": "r2"}}),
        super::delta(0, "Answer r2."),
    ]));
    let server = Server::saying([says("r1", "Answer r1."), cut, says("r3", "Fine.")]).await;
    let provider = server.provider(KIND);
    let second = [user("One?"), said("Answer r1."), user("Two?")];
    ask(&*provider, asked([user("One?")])).await;
    call(&*provider, asked(second.clone())).await.0.expect_err("cut");
    ask(&*provider, asked([&second[..], &[said("Answer r2."), user("Three?")]].concat())).await;
    let received = server.received();
    assert_eq!(sent(&received[2].body), (Some("r1"), vec!["Two?", "Answer r2.", "Three?"], true));
}
