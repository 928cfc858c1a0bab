//! Messages and requests that the tests of all protocols share, so that their request bodies can be compared.

use std::sync::Arc;

use plait_adapters::providers::ProviderKind;
use plait_core::attachment::Attachment;
use plait_core::id::{Activation, Epoch};
use plait_llm::context::{Content, Message, Part, Role, SharedMessage, ToolCall};
use plait_llm::provider::ModelRequest;
use plait_llm::tool::ToolSpec;
use serde_json::{Value, json};

use crate::server::{Answer, ReceivedRequest, Server, call, request};

pub(crate) fn message(role: Role, content: impl Into<Content>) -> Message {
    Message::plain("m".into(), role, content, Activation { node: "chat".into(), epoch: Epoch::root() }, 1)
}

pub(crate) fn user(text: &str) -> Message {
    message(Role::User, text)
}

pub(crate) fn assistant(text: &str) -> Message {
    message(Role::Assistant, text)
}

pub(crate) fn tool_call(id: &str, name: &str, arguments: Value) -> ToolCall {
    ToolCall { id: id.into(), name: name.into(), arguments }
}

pub(crate) fn assistant_with_calls(text: &str, calls: &[(&str, &str, Value)]) -> Message {
    let tool_calls = calls.iter().map(|(id, name, arguments)| tool_call(id, name, arguments.clone()));
    Message { tool_calls: tool_calls.collect(), ..assistant(text) }
}

pub(crate) fn tool_message(id: &str, text: &str) -> Message {
    Message { tool_call_id: Some(id.into()), ..message(Role::Tool, text) }
}

pub(crate) fn to_shared(messages: impl IntoIterator<Item = Message>) -> Vec<SharedMessage> {
    messages.into_iter().map(Arc::new).collect()
}

pub(crate) fn tool(name: &str) -> ToolSpec {
    let parameters = json!({"type": "object", "properties": {"x": {"type": "string"}}});
    ToolSpec {
        instructions: Some("Not of any wire.".into()),
        binding: json!({"secretOfTheHost": "Not of any wire."}),
        ..ToolSpec::new(name, format!("Does {name}."), parameters, "native")
    }
}

/// An image or a file with the bytes `hi`, which is `aGk=` in base64.
pub(crate) fn attachment(media_type: &str, name: &str) -> Part {
    Part::Attachment(Attachment {
        hash: "0".repeat(64).into(),
        media_type: media_type.into(),
        name: name.into(),
        bytes: 2,
        width: None,
        height: None,
        pages: None,
        data: Some(b"hi".as_slice().into()),
    })
}

/// A PDF, an image and a question about both.
pub(crate) fn document_message() -> Message {
    let parts = vec![
        Part::Text { text: "What do they say?".into() },
        attachment("application/pdf", "report.pdf"),
        attachment("image/jpeg", "photo.jpg"),
    ];
    message(Role::User, Content::Parts(parts))
}

/// An image and a question about it.
pub(crate) fn image_message() -> Message {
    let parts = vec![Part::Text { text: "What is this?".into() }, attachment("image/png", "photo.png")];
    message(Role::User, Content::Parts(parts))
}

/// A schema that strict modes accept.
pub(crate) fn closed_schema() -> Value {
    json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false})
}

/// A request with all fields: instructions, a history with a system message, an image, two tool rounds with an invalid
/// call, tools, a schema, limits.
pub(crate) fn full_request() -> ModelRequest {
    let parts = vec![
        Part::Text { text: "Größe?".into() },
        attachment("image/png", "photo.png"),
        Part::Text { text: "Say.".into() },
    ];
    let broken = ("b", "tell", json!("{broken"));
    let messages = [
        user("Hello"),
        assistant("Hi."),
        message(Role::System, "The person is in a hurry."),
        message(Role::User, Content::Parts(parts)),
        assistant_with_calls("", &[("a", "size", json!({"x": "y"})), broken]),
        tool_message("a", "42"),
        tool_message("b", "no"),
        assistant_with_calls("And now:", &[("c", "tell", json!({}))]),
        tool_message("c", "noon"),
    ];
    ModelRequest {
        system: Some("Be brief.".into()),
        messages: to_shared(messages),
        tools: vec![tool("size"), tool("tell")],
        temperature: Some(0.25),
        max_tokens: Some(100),
        response_schema: Some(closed_schema()),
        ..request()
    }
}

/// Sends `request` to a server with this answer and returns the received HTTP request.
pub(crate) async fn capture_request(
    kind: ProviderKind,
    answer: Answer,
    request: ModelRequest,
) -> ReceivedRequest {
    let server = Server::with_answers([answer]).await;
    call(&*server.provider(kind), request).await.0.expect("a reply");
    server.received().remove(0)
}

/// Asserts that each of these options is refused and nothing is sent.
pub(crate) async fn assert_options_refused<const N: usize>(kind: ProviderKind, wrong: [Value; N]) {
    let server = Server::with_answers([]).await;
    let provider = server.provider(kind);
    for options in wrong {
        let model_request = ModelRequest { options: options.clone(), ..request() };
        let fault = call(&*provider, model_request).await.0.expect_err("refused");
        assert_eq!(fault.code, "provider.bad_options", "{options}");
    }
    assert!(server.received().is_empty(), "nothing was sent");
}
