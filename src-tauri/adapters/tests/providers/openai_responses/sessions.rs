//! Provider-side sessions: requests get shorter, their meaning stays the same.

use std::sync::Arc;

use plait_llm::context::Message;
use plait_llm::provider::{ModelRequest, Provider};
use serde_json::{Value, json};

use super::{KIND, completed, stream_of, text_answer};
use crate::requests::{assistant, assistant_with_calls, to_shared, tool, tool_message, user};
use crate::server::{Answer, Server, call, provider, request};

fn session_request(messages: impl IntoIterator<Item = Message>) -> ModelRequest {
    ModelRequest {
        system: Some("Be brief.".into()),
        messages: to_shared(messages),
        tools: vec![tool("size")],
        session: Some("main".into()),
        options: json!({"session": true}),
        ..request()
    }
}

/// Of a request body: the previous response id, the texts of the input, and whether it may be stored.
fn session_fields(body: &Value) -> (Option<&str>, Vec<&str>, bool) {
    let previous = body.get("previous_response_id").map(|id| id.as_str().expect("text"));
    let words = |item| ["content", "output", "name"].iter().find_map(|key| Value::get(item, key)?.as_str());
    let items = body["input"].as_array().expect("items").iter().map(|item| words(item).expect("words"));
    (previous, items.collect(), body["store"] == json!(true))
}

async fn ask(provider: &dyn Provider, request: ModelRequest) {
    call(provider, request).await.0.expect("a reply");
}

async fn server_with_replies(ids: &[&str]) -> (Server, Arc<dyn Provider>) {
    let server = Server::with_answers(ids.iter().map(|id| text_answer(id, &format!("Answer {id}.")))).await;
    let provider = server.provider(KIND);
    (server, provider)
}

#[tokio::test]
async fn session_sends_only_new_messages() {
    let (server, provider) = server_with_replies(&["r1", "r2", "r3"]).await;
    let first = [user("One?")];
    let second = [&first[..], &[assistant("Answer r1."), user("Two?")]].concat();
    let third = [&second[..], &[assistant("Answer r2."), user("Three?")]].concat();
    for messages in [first.to_vec(), second, third] {
        ask(&*provider, session_request(messages)).await;
    }
    let received = server.received();
    // The complete body.
    let tools = received[0].body["tools"].clone();
    assert_eq!(
        received[1].body,
        json!({
            "model": "tiny", "stream": true, "store": true, "instructions": "Be brief.", "tools": tools,
            "previous_response_id": "r1", "input": [{"role": "user", "content": "Two?"}],
        })
    );
    assert_eq!(session_fields(&received[0].body), (None, vec!["One?"], true));
    assert_eq!(session_fields(&received[2].body), (Some("r2"), vec!["Three?"], true));
}

/// Within tool rounds a session continues from the reply that called the tools. The stored turn has none of these rounds,
/// so the next turn continues from the last reply before them, or sends everything.
#[tokio::test]
async fn session_continues_within_tool_rounds() {
    let calls = json!({"type": "response.output_item.done", "output_index": 0, "item": {
        "type": "function_call", "call_id": "a", "name": "size", "arguments": "{\"x\": \"y\"}",
    }});
    let asks_for_tools = Answer::stream(stream_of(&[calls, completed("r2", &json!([]), &json!(null))]));
    let server = Server::with_answers([
        text_answer("r1", "Hi."),
        asks_for_tools,
        text_answer("r3", "42."),
        text_answer("r4", "Bye."),
    ])
    .await;
    let provider = server.provider(KIND);
    let start = [user("Hello"), assistant("Hi."), user("How large?")];
    let round = [assistant_with_calls("", &[("a", "size", json!({"x": "y"}))]), tool_message("a", "42")];
    ask(&*provider, session_request([user("Hello")])).await;
    ask(&*provider, session_request(start.clone())).await;
    ask(&*provider, session_request([&start[..], &round].concat())).await;
    ask(&*provider, session_request([&start[..], &[assistant("42."), user("Bye")]].concat())).await;
    let received: Vec<_> = server.received().into_iter().map(|received| received.body).collect();
    assert_eq!(session_fields(&received[1]), (Some("r1"), vec!["How large?"], true));
    assert_eq!(session_fields(&received[2]), (Some("r2"), vec!["42"], true));
    assert_eq!(session_fields(&received[3]), (Some("r1"), vec!["How large?", "42.", "Bye"], true));
}

type Change = fn(&mut ModelRequest);

#[tokio::test]
async fn changed_request_is_sent_in_full() {
    let error = [user("One?"), assistant("Answer r1."), user("Two?")];
    let same = session_request(error.clone());
    let all = vec!["One?", "Answer r1.", "Two?"];
    let changes: [(&str, Change, Vec<&str>); 9] = [
        ("the model", |request| request.model = "large".into(), all.clone()),
        ("the instructions", |request| request.system = None, all.clone()),
        ("the tools", |request| request.tools.clear(), all.clone()),
        ("the session", |request| request.session = Some("other".into()), all.clone()),
        ("a trimmed history", |request| drop(request.messages.drain(..2)), vec!["Two?"]),
        (
            "an edited question",
            |request| request.messages[0] = Arc::new(user("Won?")),
            vec!["Won?", "Answer r1.", "Two?"],
        ),
        (
            "an edited answer",
            |request| request.messages[1] = Arc::new(assistant("No.")),
            vec!["One?", "No.", "Two?"],
        ),
        (
            "an injected message",
            |request| request.messages.insert(1, Arc::new(user("Also."))),
            vec!["One?", "Also.", "Answer r1.", "Two?"],
        ),
        ("the same question again", |request| request.messages.truncate(1), vec!["One?"]),
    ];
    for (what, change, expected) in changes {
        let (server, provider) = server_with_replies(&["r1", "r2"]).await;
        ask(&*provider, session_request([user("One?")])).await;
        let mut second = same.clone();
        change(&mut second);
        ask(&*provider, second).await;
        assert_eq!(session_fields(&server.received()[1].body), (None, expected, true), "{what}");
    }
    // Settings that do not affect the past may change.
    let (server, provider) = server_with_replies(&["r1", "r2"]).await;
    ask(&*provider, session_request([user("One?")])).await;
    let colder = ModelRequest { temperature: Some(0.0), max_tokens: Some(9), attempt: 2, ..same };
    ask(&*provider, colder).await;
    assert_eq!(session_fields(&server.received()[1].body), (Some("r1"), vec!["Two?"], true));
}

#[tokio::test]
async fn fork_continues_from_its_last_shared_reply() {
    let (server, provider) = server_with_replies(&["r1", "r2", "r3"]).await;
    let first = [user("One?")];
    let then = |text: &str| [&first[..], &[assistant("Answer r1."), user(text)]].concat();
    ask(&*provider, session_request(first.clone())).await;
    ask(&*provider, session_request(then("Left?"))).await;
    ask(&*provider, session_request(then("Right?"))).await;
    assert_eq!(session_fields(&server.received()[2].body), (Some("r1"), vec!["Right?"], true));
}

#[tokio::test]
async fn sessions_are_off_by_default() {
    let asked_with =
        |options: Value, messages: Vec<Message>| ModelRequest { options, ..session_request(messages) };
    let second = || vec![user("One?"), assistant("Answer r1."), user("Two?")];
    for (setting, option, is_on) in [
        (None, Value::Null, false),
        (None, json!({"session": false}), false),
        (Some(false), json!({"session": true}), true),
        (Some(true), json!({"session": false}), false),
        (Some(true), json!({"session": null}), true),
        (Some(true), Value::Null, true),
    ] {
        let (server, _) = server_with_replies(&["r1", "r2"]).await;
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
        assert_eq!(session_fields(&server.received()[1].body), expected, "{setting:?} {option}");
    }
    // Without a session id nothing is stored.
    let (server, provider) = server_with_replies(&["r1"]).await;
    ask(&*provider, ModelRequest { session: None, ..session_request([user("One?")]) }).await;
    assert_eq!(session_fields(&server.received()[0].body), (None, vec!["One?"], false));
}

#[tokio::test]
async fn lost_session_is_resent_in_full_once() {
    let gone = |status| {
        let error = json!({"message": "Previous response with id 'r1' not found.", "code": "previous_response_not_found"});
        Answer::json(status, &json!({"error": error}).to_string())
    };
    let second = [user("One?"), assistant("Answer r1."), user("Two?")];
    let all = vec!["One?", "Answer r1.", "Two?"];
    for status in [400, 404] {
        let answers = [
            text_answer("r1", "Answer r1."),
            gone(status),
            text_answer("r2", "Fine."),
            text_answer("r3", "Fine."),
        ];
        let server = Server::with_answers(answers).await;
        let provider = server.provider(KIND);
        ask(&*provider, session_request([user("One?")])).await;
        ask(&*provider, session_request(second.clone())).await;
        // The session is not used again.
        ask(&*provider, session_request(second.clone())).await;
        let received: Vec<_> = server.received().into_iter().map(|received| received.body).collect();
        assert_eq!(session_fields(&received[1]), (Some("r1"), vec!["Two?"], true));
        assert_eq!(session_fields(&received[2]), (None, all.clone(), true));
        assert_eq!(session_fields(&received[3]), (None, all.clone(), true));
        assert_eq!(received.len(), 4);
    }
    // Only once, and only for a status that can mean a lost session.
    for (status, code, requests) in [
        (400, "provider.bad_request", 3),
        (429, "provider.rate_limited", 2),
        (500, "provider.server_error", 2),
    ] {
        let server =
            Server::with_answers([text_answer("r1", "Answer r1."), gone(status), gone(status)]).await;
        let provider = server.provider(KIND);
        ask(&*provider, session_request([user("One?")])).await;
        let fault = call(&*provider, session_request(second.clone())).await.0.expect_err("a fault");
        assert_eq!((fault.code.as_str(), server.received().len()), (code, requests));
    }
}

/// An incomplete reply cannot be continued.
#[tokio::test]
async fn cut_reply_does_not_continue_a_session() {
    let cut = Answer::stream(stream_of(&[
        json!({"type": "response.created", "response": {"id": "r2"}}),
        super::delta(0, "Answer r2."),
    ]));
    let server =
        Server::with_answers([text_answer("r1", "Answer r1."), cut, text_answer("r3", "Fine.")]).await;
    let provider = server.provider(KIND);
    let second = [user("One?"), assistant("Answer r1."), user("Two?")];
    ask(&*provider, session_request([user("One?")])).await;
    call(&*provider, session_request(second.clone())).await.0.expect_err("cut");
    ask(&*provider, session_request([&second[..], &[assistant("Answer r2."), user("Three?")]].concat()))
        .await;
    let received = server.received();
    assert_eq!(session_fields(&received[2].body), (Some("r1"), vec!["Two?", "Answer r2.", "Three?"], true));
}
