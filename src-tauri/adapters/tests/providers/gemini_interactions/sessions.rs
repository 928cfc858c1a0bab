//! Provider-side sessions: requests get shorter, their meaning stays the same. What makes a request continue is tested with OpenAI's
//! Responses, which use the same code.

use plait_llm::context::Message;
use plait_llm::provider::{ModelRequest, Provider};
use serde_json::{Value, json};

use super::{KIND, completed, created, start, stream_of, text_answer};
use crate::requests::{assistant, assistant_with_calls, to_shared, tool, tool_message, user};
use crate::server::{Answer, Server, call, provider, request};

fn session_request(messages: impl IntoIterator<Item = Message>) -> ModelRequest {
    ModelRequest {
        system: Some("Be brief.".into()),
        messages: to_shared(messages),
        tools: vec![tool("size")],
        session: Some("main".into()),
        ..request()
    }
}

fn provider_with_sessions(server: &Server) -> std::sync::Arc<dyn Provider> {
    let mut settings = server.settings(KIND);
    settings.sessions = Some(true);
    provider(settings)
}

async fn ask(provider: &dyn Provider, request: ModelRequest) {
    call(provider, request).await.0.expect("a reply");
}

/// Of a request body: the previous interaction, the types of its steps, and whether it may be stored.
fn session_fields(body: &Value) -> (Option<&str>, Vec<&str>, bool) {
    let previous = body.get("previous_interaction_id").map(|id| id.as_str().expect("text"));
    let steps = body["input"].as_array().expect("steps").iter();
    (
        previous,
        steps.map(|step| step["type"].as_str().expect("a type")).collect(),
        body["store"] == json!(true),
    )
}

#[tokio::test]
async fn session_sends_only_new_messages() {
    let server = Server::with_answers(["i1", "i2"].map(|id| text_answer(id, &format!("Answer {id}.")))).await;
    let provider = provider_with_sessions(&server);
    ask(&*provider, session_request([user("One?")])).await;
    ask(&*provider, session_request([user("One?"), assistant("Answer i1."), user("Two?")])).await;
    let received = server.received();
    assert_eq!(session_fields(&received[0].body), (None, vec!["user_input"], true));
    // Instructions and tools hold for one interaction only.
    let tools = received[0].body["tools"].clone();
    assert_eq!(
        received[1].body,
        json!({
            "model": "tiny", "stream": true, "store": true, "system_instruction": "Be brief.", "tools": tools,
            "previous_interaction_id": "i1",
            "input": [{"type": "user_input", "content": [{"type": "text", "text": "Two?"}]}],
        })
    );
}

#[tokio::test]
async fn session_continues_within_tool_rounds() {
    let calls = json!({"type": "function_call", "id": "a", "name": "size", "arguments": {"x": "y"}});
    let asks_for_tools = Answer::stream(stream_of(&[
        created("i1"),
        start(0, &calls),
        completed("i1", "requires_action", &json!(null)),
    ]));
    let server = Server::with_answers([asks_for_tools, text_answer("i2", "42.")]).await;
    let provider = provider_with_sessions(&server);
    let round = [assistant_with_calls("", &[("a", "size", json!({"x": "y"}))]), tool_message("a", "42")];
    ask(&*provider, session_request([user("How large?")])).await;
    ask(&*provider, session_request([&[user("How large?")][..], &round].concat())).await;
    assert_eq!(session_fields(&server.received()[1].body), (Some("i1"), vec!["function_result"], true));
}

#[tokio::test]
async fn sessions_are_off_by_default() {
    let server = Server::with_answers(["i1", "i2"].map(|id| text_answer(id, &format!("Answer {id}.")))).await;
    let provider = server.provider(KIND);
    ask(&*provider, session_request([user("One?")])).await;
    ask(&*provider, session_request([user("One?"), assistant("Answer i1."), user("Two?")])).await;
    let all = vec!["user_input", "model_output", "user_input"];
    assert_eq!(session_fields(&server.received()[1].body), (None, all, false));
}

#[tokio::test]
async fn lost_session_is_resent_in_full_once() {
    let gone = Answer::json(
        404,
        &json!({"error": {"code": 404, "message": "Interaction not found.", "status": "NOT_FOUND"}})
            .to_string(),
    );
    let server =
        Server::with_answers([text_answer("i1", "Answer i1."), gone, text_answer("i2", "Fine.")]).await;
    let provider = provider_with_sessions(&server);
    ask(&*provider, session_request([user("One?")])).await;
    ask(&*provider, session_request([user("One?"), assistant("Answer i1."), user("Two?")])).await;
    let received: Vec<_> = server.received().into_iter().map(|received| received.body).collect();
    assert_eq!(session_fields(&received[1]), (Some("i1"), vec!["user_input"], true));
    let all = vec!["user_input", "model_output", "user_input"];
    assert_eq!((session_fields(&received[2]), received.len()), ((None, all, true), 3));
}
