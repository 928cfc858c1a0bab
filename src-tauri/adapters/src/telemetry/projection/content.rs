//! Messages as attributes, in the form of the conventions: a list of messages with parts, as JSON text.

use plait_core::id::Activation;
use plait_insight::lens::{Lens, LensCall, MessagePart, ReplyView, SentMessage};
use plait_llm::context::{Role, ToolCall};
use serde_json::{Value, json};

use super::finish_reason;
use crate::telemetry::conventions as names;

/// The instructions, the messages and the reply of a model call.
pub(super) fn of_call(lens: &Lens, activation: &Activation, index: usize) -> Vec<(&'static str, Value)> {
    let Some(LensCall { messages, reply, .. }) = lens.call(activation, index) else { return Vec::new() };
    let text = |value: Value| Value::String(value.to_string());
    let (system, rest): (Vec<&SentMessage>, Vec<&SentMessage>) =
        messages.iter().partition(|message| message.part == MessagePart::System);
    let mut attributes = Vec::new();
    if !system.is_empty() {
        let parts: Value = system.iter().map(|message| text_part(&message.text)).collect();
        attributes.push((names::SYSTEM_INSTRUCTIONS, text(parts)));
    }
    let input: Value = rest.iter().map(|message| input_message(message)).collect();
    attributes.push((names::INPUT_MESSAGES, text(input)));
    if let Some(reply) = reply {
        attributes.push((names::OUTPUT_MESSAGES, text(json!([output_message(&reply)]))));
    }
    attributes
}

fn text_part(text: &str) -> Value {
    json!({ "type": "text", "content": text })
}

fn call_part(call: &ToolCall) -> Value {
    json!({ "type": "tool_call", "id": call.id, "name": call.name, "arguments": call.arguments })
}

fn input_message(message: &SentMessage) -> Value {
    let role = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    };
    let mut parts = Vec::new();
    if message.role == Role::Tool {
        parts.push(
            json!({ "type": "tool_call_response", "id": message.tool_call_id, "response": message.text }),
        );
    } else if !message.text.is_empty() || message.tool_calls.is_empty() {
        parts.push(text_part(&message.text));
    }
    parts.extend(message.tool_calls.iter().map(call_part));
    json!({ "role": role, "parts": parts })
}

fn output_message(reply: &ReplyView) -> Value {
    let mut parts = Vec::new();
    if let Some(reasoning) = &reply.reasoning {
        parts.push(json!({ "type": "reasoning", "content": reasoning }));
    }
    if !reply.text.is_empty() || reply.tool_calls.is_empty() {
        parts.push(text_part(&reply.text));
    }
    parts.extend(reply.tool_calls.iter().map(call_part));
    json!({ "role": "assistant", "parts": parts, "finish_reason": finish_reason(&reply.stop_reason) })
}
