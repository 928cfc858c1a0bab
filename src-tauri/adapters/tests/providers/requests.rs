//! What is asked of every protocol alike, so that their request tests can be read beside each other.

use std::sync::Arc;

use plait_adapters::providers::ProviderKind;
use plait_engine::context::{Content, Message, Part, Role, SharedMessage, ToolCall};
use plait_engine::id::{Activation, Epoch};
use plait_engine::provider::ModelRequest;
use plait_engine::tool::ToolSpec;
use serde_json::{Value, json};

use crate::server::{Answer, ReceivedRequest, Server, call, request};

pub(crate) fn message(role: Role, content: impl Into<Content>) -> Message {
    Message::plain("m".into(), role, content, Activation { node: "chat".into(), epoch: Epoch::root() }, 1)
}

pub(crate) fn user(text: &str) -> Message {
    message(Role::User, text)
}

pub(crate) fn says(text: &str) -> Message {
    message(Role::Assistant, text)
}

pub(crate) fn tool_call(id: &str, name: &str, arguments: Value) -> ToolCall {
    ToolCall { id: id.into(), name: name.into(), arguments }
}

pub(crate) fn asks(text: &str, calls: &[(&str, &str, Value)]) -> Message {
    let tool_calls = calls.iter().map(|(id, name, arguments)| tool_call(id, name, arguments.clone()));
    Message { tool_calls: tool_calls.collect(), ..says(text) }
}

pub(crate) fn tells(id: &str, text: &str) -> Message {
    Message { tool_call_id: Some(id.into()), ..message(Role::Tool, text) }
}

pub(crate) fn shared(messages: impl IntoIterator<Item = Message>) -> Vec<SharedMessage> {
    messages.into_iter().map(Arc::new).collect()
}

pub(crate) fn tool(name: &str) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        description: format!("Does {name}."),
        parameters: json!({"type": "object", "properties": {"x": {"type": "string"}}}),
        source: "native".into(),
        instructions: Some("Not of any wire.".into()),
    }
}

/// A picture and what is asked of it.
pub(crate) fn picture() -> Message {
    let parts = vec![
        Part::Text { text: "What is this?".into() },
        Part::Image { media_type: "image/png".into(), data: "aGk=".into() },
    ];
    message(Role::User, Content::Parts(parts))
}

/// A schema that strict modes take.
pub(crate) fn closed_schema() -> Value {
    json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false})
}

/// A request with everything in it: instructions, a history with more of them, an image, two rounds of tools with several
/// calls and one that was broken, tools, a schema, bounds.
pub(crate) fn everything() -> ModelRequest {
    let parts = vec![
        Part::Text { text: "Größe?".into() },
        Part::Image { media_type: "image/png".into(), data: "aGk=".into() },
        Part::Text { text: "Say.".into() },
    ];
    let broken = ("b", "tell", json!("{broken"));
    let messages = [
        user("Hello"),
        says("Hi."),
        message(Role::System, "The person is in a hurry."),
        message(Role::User, Content::Parts(parts)),
        asks("", &[("a", "size", json!({"x": "y"})), broken]),
        tells("a", "42"),
        tells("b", "no"),
        asks("And now:", &[("c", "tell", json!({}))]),
        tells("c", "noon"),
    ];
    ModelRequest {
        system: Some("Be brief.".into()),
        messages: shared(messages),
        tools: vec![tool("size"), tool("tell")],
        temperature: Some(0.25),
        max_tokens: Some(100),
        response_schema: Some(closed_schema()),
        ..request()
    }
}

/// What goes out for `request`, to a server that says `answer`.
pub(crate) async fn received(kind: ProviderKind, answer: Answer, request: ModelRequest) -> ReceivedRequest {
    let server = Server::saying([answer]).await;
    call(&*server.provider(kind), request).await.0.expect("a reply");
    server.received().remove(0)
}

/// Each of these options is refused, and nothing is sent.
pub(crate) async fn refuses<const N: usize>(kind: ProviderKind, wrong: [Value; N]) {
    let server = Server::saying([]).await;
    let provider = server.provider(kind);
    for options in wrong {
        let asked = ModelRequest { options: options.clone(), ..request() };
        let fault = call(&*provider, asked).await.0.expect_err("refused");
        assert_eq!(fault.code, "provider.bad_options", "{options}");
    }
    assert!(server.received().is_empty(), "nothing was sent");
}
