//! Encodes a request: how this protocol writes messages, tools and limits as items.

use plait_core::attachment::AttachmentKind;
use plait_core::error::Fault;
use plait_llm::context::{Content, Message, Part, Role, ToolCall};
use plait_llm::provider::{ModelReply, ModelRequest, SchemaForm};
use plait_llm::tool::ToolSpec;
use serde_json::{Map, Value, json};

use crate::providers::http::add_options;
use crate::providers::protocol::instructions::schema_instruction;
use crate::providers::protocol::object_schema::object_schema;
use crate::providers::protocol::stored_session::RequestDraft;
use crate::providers::protocol::strict_schema::strict_form;
use crate::providers::protocol::tool_call_ids::CallIdForm;
use crate::providers::protocol::tool_calls::arguments_text;

/// Fields that Plait itself sets; options may not override them.
const RESERVED: [&str; 9] = [
    "model",
    "input",
    "instructions",
    "stream",
    "store",
    "previous_response_id",
    "conversation",
    "background",
    "max_output_tokens",
];

/// The key of this protocol's data in a message's `provider_state`.
pub(super) const STATE_KEY: &str = "openAiResponses";
/// Marks the position of the text in the stored state.
pub(super) const TEXT: &str = "text";
/// Marks the position of the next tool call.
pub(super) const CALL: &str = "call";

/// Fault `provider.bad_options`.
pub(super) fn encode(request: &ModelRequest, call_ids: CallIdForm) -> Result<RequestDraft, Fault> {
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| drop(body.insert(key.to_owned(), value));
    put("model", json!(request.model));
    put("stream", json!(true));
    let (format, instruction) = reply_format(request);
    let instructions: Vec<&str> =
        [request.system.as_deref(), instruction.as_deref()].into_iter().flatten().collect();
    if !instructions.is_empty() {
        put("instructions", json!(instructions.join("\n\n")));
    }
    if !request.tools.is_empty() {
        put("tools", request.tools.iter().map(tool).collect());
    }
    if let Some(temperature) = request.temperature {
        put("temperature", json!(temperature));
    }
    if let Some(max_tokens) = request.max_tokens {
        put("max_output_tokens", json!(max_tokens));
    }
    if let Some(format) = format {
        put("text", json!({ "format": format }));
    }
    // Other options of the text are merged with its format.
    add_options(&mut body, &request.options, &RESERVED, "text")?;
    // A call that configures reasoning uses a reasoning model, whose reasoning must be sent back with tool results. Other
    // models reject this field.
    if body.contains_key("reasoning") && !body.contains_key("include") {
        body.insert("include".to_owned(), json!(["reasoning.encrypted_content"]));
    }
    let items = request.messages.iter().flat_map(|message| items(message, call_ids)).collect();
    Ok(RequestDraft { body, items })
}

/// The items that a reply becomes once it is part of the conversation.
pub(super) fn encode_reply(reply: &ModelReply, call_ids: CallIdForm) -> Vec<Value> {
    assistant(&reply.text, &reply.tool_calls, reply.provider_state.as_ref(), call_ids)
}

fn items(message: &Message, call_ids: CallIdForm) -> Vec<Value> {
    match message.role {
        Role::System => vec![json!({ "role": "system", "content": message.content.text() })],
        Role::User => vec![json!({ "role": "user", "content": content(&message.content) })],
        Role::Assistant => {
            assistant(&message.content.text(), &message.tool_calls, message.provider_state.as_ref(), call_ids)
        }
        Role::Tool => vec![json!({
            "type": "function_call_output",
            "call_id": message.tool_call_id.as_deref().map(|id| call_ids.apply(id)),
            "output": message.content.text(),
        })],
    }
}

/// Text and calls, with the reasoning in its original position.
fn assistant(text: &str, calls: &[ToolCall], state: Option<&Value>, call_ids: CallIdForm) -> Vec<Value> {
    let message = json!({ "role": "assistant", "content": text });
    let mut message = Some(message).filter(|_| !text.is_empty() || calls.is_empty());
    let mut calls = calls.iter().map(|call| tool_call(call, call_ids));
    let mut items = Vec::new();
    for entry in state.and_then(|state| state.get(STATE_KEY)?.as_array()).into_iter().flatten() {
        match entry.as_str() {
            Some(TEXT) => items.extend(message.take()),
            Some(CALL) => items.extend(calls.next()),
            _ => items.push(entry.clone()),
        }
    }
    items.into_iter().chain(message).chain(calls).collect()
}

fn content(content: &Content) -> Value {
    let Content::Parts(parts) = content else { return Value::String(content.text()) };
    let part = |part: &Part| match part {
        Part::Text { text } => json!({ "type": "input_text", "text": text }),
        Part::Attachment(image) if image.kind() == AttachmentKind::Image => {
            json!({ "type": "input_image", "detail": "auto", "image_url": image.data_url() })
        }
        Part::Attachment(file) => {
            json!({ "type": "input_file", "filename": file.name, "file_data": file.data_url() })
        }
    };
    parts.iter().map(part).collect()
}

fn tool_call(call: &ToolCall, call_ids: CallIdForm) -> Value {
    let (id, arguments) = (call_ids.apply(&call.id), arguments_text(call));
    json!({ "type": "function_call", "call_id": id, "name": call.name, "arguments": arguments })
}

/// Without `strict`, the API defaults to strict mode, which few schemas satisfy.
fn tool(tool: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "strict": false,
    })
}

/// What [`reply_format`] comes to.
pub(super) fn schema_form(request: &ModelRequest) -> Option<SchemaForm> {
    request.response_schema.as_ref()?;
    Some(match reply_format(request) {
        (_, Some(_)) => SchemaForm::Words,
        (Some(format), None) if format["strict"] == true => SchemaForm::Enforced,
        _ => SchemaForm::Hint,
    })
}

/// How the request asks for a reply that follows its schema: as a format, or as an instruction for a schema whose root is no
/// object. The engine validates the reply in any case.
fn reply_format(request: &ModelRequest) -> (Option<Value>, Option<String>) {
    let Some(schema) = &request.response_schema else { return (None, None) };
    let Some(schema) = object_schema(schema) else { return (None, Some(schema_instruction(schema))) };
    let format = match strict_form(&schema) {
        Some(strict) => json!({ "type": "json_schema", "name": "reply", "schema": strict, "strict": true }),
        None => json!({ "type": "json_schema", "name": "reply", "schema": schema, "strict": false }),
    };
    (Some(format), None)
}
