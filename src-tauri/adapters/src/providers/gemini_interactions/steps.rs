//! Encodes the conversation as steps. A thought that a model had before it called tools is sent back in its place.

use std::collections::HashMap;

use plait_core::attachment::AttachmentKind;
use plait_llm::context::{Content, Message, Part, Role, SharedMessage, ToolCall};
use plait_llm::provider::ModelReply;
use serde_json::{Value, json};

use crate::providers::protocol::tool_calls::arguments_object;

/// The key of this protocol's data in a message's `provider_state`: a list of thoughts, and of the marks below.
pub(super) const STATE_KEY: &str = "geminiInteractions";
/// Marks the position of the text in the stored state.
pub(super) const TEXT: &str = "text";
/// Marks the position of the next tool call.
pub(super) const CALL: &str = "call";

/// The steps without system messages, which are part of the instructions.
pub(super) fn steps(history: &[SharedMessage]) -> Vec<Value> {
    // The function's name of each call, by its id.
    let mut called: HashMap<&str, &str> = HashMap::new();
    let mut steps = Vec::new();
    for message in history {
        match message.role {
            Role::System => {}
            Role::User => {
                let content = content(&message.content);
                let step = || json!({ "type": "user_input", "content": content });
                steps.extend((!content.is_empty()).then(step));
            }
            Role::Assistant => {
                called.extend(message.tool_calls.iter().map(|call| (call.id.as_str(), call.name.as_str())));
                steps.extend(output(
                    &content(&message.content),
                    &message.tool_calls,
                    message.provider_state.as_ref(),
                ));
            }
            Role::Tool => steps.push(function_result(message, &called)),
        }
    }
    steps
}

/// The steps that a reply becomes once it is part of the conversation.
pub(super) fn encode_reply(reply: &ModelReply) -> Vec<Value> {
    output(
        &content(&Content::with_attachments(reply.text.clone(), reply.attachments.iter().cloned())),
        &reply.tool_calls,
        reply.provider_state.as_ref(),
    )
}

/// What the model said and called, with its thoughts in their original position.
fn output(content: &[Value], calls: &[ToolCall], state: Option<&Value>) -> Vec<Value> {
    let mut said = (!content.is_empty()).then(|| json!({ "type": "model_output", "content": content }));
    let mut calls = calls.iter().map(function_call);
    let mut steps = Vec::new();
    for entry in state.and_then(|state| state.get(STATE_KEY)?.as_array()).into_iter().flatten() {
        match entry.as_str() {
            Some(TEXT) => steps.extend(said.take()),
            Some(CALL) => steps.extend(calls.next()),
            _ => steps.push(entry.clone()),
        }
    }
    steps.into_iter().chain(said).chain(calls).collect()
}

fn content(content: &Content) -> Vec<Value> {
    let text = |text: &str| (!text.is_empty()).then(|| json!({ "type": "text", "text": text }));
    let part = |part: &Part| match part {
        Part::Text { text: part } => text(part),
        Part::Attachment(attachment) => {
            let kind = match attachment.kind() {
                AttachmentKind::Image => "image",
                AttachmentKind::Pdf | AttachmentKind::Text => "document",
            };
            let (media_type, data) = (&attachment.media_type, attachment.base64());
            Some(json!({ "type": kind, "mime_type": media_type, "data": data }))
        }
    };
    match content {
        Content::Text(all) => text(all).into_iter().collect(),
        Content::Parts(parts) => parts.iter().filter_map(part).collect(),
    }
}

fn function_call(call: &ToolCall) -> Value {
    let arguments = arguments_object(call, "arguments");
    json!({ "type": "function_call", "id": call.id, "name": call.name, "arguments": arguments })
}

fn function_result(message: &Message, called: &HashMap<&str, &str>) -> Value {
    let id = message.tool_call_id.as_deref().unwrap_or_default();
    let mut result = json!({
        "type": "function_result",
        "call_id": id,
        "name": called.get(id).copied().unwrap_or(id),
        "result": message.content.text(),
    });
    if message.is_error {
        result["is_error"] = json!(true);
    }
    result
}
