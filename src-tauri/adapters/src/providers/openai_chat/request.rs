//! Encodes a request: how this protocol writes messages, tools and limits.

use plait_core::attachment::AttachmentKind;
use plait_core::error::Fault;
use plait_llm::context::{Content, Message, Part, Role, ToolCall};
use plait_llm::provider::{ModelRequest, SchemaForm};
use serde_json::{Map, Value, json};

use crate::providers::http::options;
use crate::providers::protocol::instructions::schema_instruction;
use crate::providers::protocol::object_schema::object_schema;
use crate::providers::protocol::strict_schema::strict_form;
use crate::providers::protocol::tool_call_ids::CallIdForm;
use crate::providers::protocol::tool_calls::{arguments_text, function};
use crate::providers::quirks::{ChatQuirks, ReasoningField, StructuredOutput, TokenLimitField};

/// Fields that Plait itself sets; options may not override them.
const RESERVED: [&str; 7] =
    ["model", "messages", "stream", "stream_options", "n", "max_tokens", "max_completion_tokens"];

/// The key of this protocol's data in a message's `provider_state`.
pub(super) const STATE_KEY: &str = "openAiChat";
/// `OpenRouter`'s field with blocks of reasoning, which go back unchanged in tool rounds.
pub(super) const REASONING_DETAILS: &str = "reasoning_details";

/// The body for a server with these quirks. Fault `provider.bad_options`.
pub(super) fn encode(
    request: &ModelRequest,
    quirks: ChatQuirks,
    call_ids: CallIdForm,
) -> Result<Value, Fault> {
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| drop(body.insert(key.to_owned(), value));
    let (format, instruction) = reply_format(request, quirks);
    put("model", json!(request.model));
    put("messages", messages(request, instruction.as_deref(), quirks, call_ids));
    put("stream", json!(true));
    if quirks.stream_options.unwrap_or(true) {
        put("stream_options", json!({ "include_usage": true }));
    }
    if !request.tools.is_empty() {
        put("tools", request.tools.iter().map(function).collect());
    }
    if let Some(temperature) = request.temperature {
        put("temperature", json!(temperature));
    }
    if let Some(max_tokens) = request.max_tokens {
        let field = match quirks.token_limit {
            Some(TokenLimitField::MaxCompletionTokens) => "max_completion_tokens",
            Some(TokenLimitField::MaxTokens) | None => "max_tokens",
        };
        put(field, json!(max_tokens));
    }
    if let Some(format) = format {
        put("response_format", format);
    }
    for (key, value) in options(&request.options, &RESERVED)? {
        put(key, value.clone());
    }
    Ok(Value::Object(body))
}

fn messages(
    request: &ModelRequest,
    instruction: Option<&str>,
    quirks: ChatQuirks,
    call_ids: CallIdForm,
) -> Value {
    let system = [request.system.as_deref(), instruction].into_iter().flatten();
    let system: Vec<&str> = system.collect();
    // One message: some chat templates accept no second one.
    let system = (!system.is_empty()).then(|| json!({ "role": "system", "content": system.join("\n\n") }));
    let messages =
        system.into_iter().chain(request.messages.iter().map(|shared| message(shared, quirks, call_ids)));
    if quirks.merge_roles.unwrap_or_default() { merge_roles(messages).into() } else { messages.collect() }
}

/// Consecutive messages of one role as one, except for tool results and for what follows a tool call.
fn merge_roles(messages: impl Iterator<Item = Value>) -> Vec<Value> {
    let mut merged: Vec<Value> = Vec::new();
    for mut next in messages {
        match merged.last_mut() {
            Some(last)
                if last["role"] == next["role"]
                    && next["role"] != "tool"
                    && last.get("tool_calls").is_none() =>
            {
                last["content"] = join_contents(last["content"].take(), next["content"].take());
                if let (Some(last), Some(next)) = (last.as_object_mut(), next.as_object_mut()) {
                    next.retain(|key, _| key != "content");
                    last.append(next);
                }
            }
            _ => merged.push(next),
        }
    }
    merged
}

/// The texts with a blank line between them, or the parts of both.
fn join_contents(first: Value, second: Value) -> Value {
    match (first, second) {
        (first, Value::Null) => first,
        (Value::Null, second) => second,
        (Value::String(first), Value::String(second)) => format!("{first}\n\n{second}").into(),
        (first, second) => [first, second].into_iter().flat_map(to_parts).collect(),
    }
}

fn to_parts(content: Value) -> Vec<Value> {
    match content {
        Value::Array(parts) => parts,
        text => vec![json!({ "type": "text", "text": text })],
    }
}

fn message(message: &Message, quirks: ChatQuirks, call_ids: CallIdForm) -> Value {
    match message.role {
        Role::System => json!({ "role": "system", "content": message.content.text() }),
        Role::User => json!({ "role": "user", "content": content(&message.content) }),
        Role::Assistant if message.tool_calls.is_empty() => {
            json!({ "role": "assistant", "content": message.content.text() })
        }
        Role::Assistant => {
            let text = message.content.text();
            let calls: Vec<_> =
                message.tool_calls.iter().map(|call| tool_call(call, &call_ids.apply(&call.id))).collect();
            let content = if text.is_empty() { Value::Null } else { Value::String(text) };
            let mut encoded = json!({ "role": "assistant", "content": content, "tool_calls": calls });
            match quirks.reasoning {
                // The server rejects a tool round without the field, even if the model reasoned nothing.
                Some(ReasoningField::ReasoningContent) => {
                    encoded["reasoning_content"] = json!(message.reasoning.as_deref().unwrap_or_default());
                }
                Some(ReasoningField::Reasoning) => {
                    if let Some(details) = reasoning_details(message) {
                        encoded["reasoning_details"] = details.clone();
                    } else if let Some(reasoning) = &message.reasoning {
                        encoded["reasoning"] = json!(reasoning);
                    }
                }
                None => {}
            }
            encoded
        }
        Role::Tool => json!({
            "role": "tool",
            "tool_call_id": message.tool_call_id.as_deref().map(|id| call_ids.apply(id)),
            "content": message.content.text(),
        }),
    }
}

fn content(content: &Content) -> Value {
    let Content::Parts(parts) = content else { return Value::String(content.text()) };
    let part = |part: &Part| match part {
        Part::Text { text } => json!({ "type": "text", "text": text }),
        Part::Attachment(image) if image.kind() == AttachmentKind::Image => {
            json!({ "type": "image_url", "image_url": { "url": image.data_url() } })
        }
        Part::Attachment(file) => {
            json!({ "type": "file", "file": { "filename": file.name, "file_data": file.data_url() } })
        }
    };
    parts.iter().map(part).collect()
}

/// The blocks of reasoning as the server sent them.
fn reasoning_details(message: &Message) -> Option<&Value> {
    message.provider_state.as_ref()?.get(STATE_KEY)?.get(REASONING_DETAILS)
}

fn tool_call(call: &ToolCall, id: &str) -> Value {
    let arguments = arguments_text(call);
    json!({ "id": id, "type": "function", "function": { "name": call.name, "arguments": arguments } })
}

/// What [`reply_format`] comes to.
pub(super) fn schema_form(request: &ModelRequest, quirks: ChatQuirks) -> Option<SchemaForm> {
    request.response_schema.as_ref()?;
    Some(match reply_format(request, quirks) {
        (_, Some(_)) => SchemaForm::Words,
        (Some(format), None) if format["json_schema"]["strict"] == true => SchemaForm::Enforced,
        _ => SchemaForm::Hint,
    })
}

/// How the request asks for a reply that follows its schema: as a format, as an instruction, or both. The engine validates the
/// reply in any case.
fn reply_format(request: &ModelRequest, quirks: ChatQuirks) -> (Option<Value>, Option<String>) {
    let Some(schema) = &request.response_schema else { return (None, None) };
    match quirks.structured_output {
        Some(StructuredOutput::JsonObject) => {
            (Some(json!({ "type": "json_object" })), Some(schema_instruction(schema)))
        }
        Some(StructuredOutput::Instructions) => (None, Some(schema_instruction(schema))),
        Some(StructuredOutput::JsonSchema) | None => {
            let Some(schema) = object_schema(schema) else { return (None, Some(schema_instruction(schema))) };
            let format = match strict_form(&schema).filter(|_| quirks.strict.unwrap_or(true)) {
                Some(strict) => json!({ "name": "reply", "schema": strict, "strict": true }),
                None => json!({ "name": "reply", "schema": schema }),
            };
            (Some(json!({ "type": "json_schema", "json_schema": format })), None)
        }
    }
}
