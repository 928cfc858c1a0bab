//! Reads a request of the `OpenAI` API. What a flow decides itself is refused; what only tunes a model is ignored, and named.

use std::collections::BTreeMap;

use plait_api::ErrorReply;
use plait_api::runs::{SaidMessage, Speaker};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::codes;

/// The body of `POST /v1/chat/completions`.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct ChatRequest {
    /// The name of a published flow.
    pub(crate) model: String,
    /// What was said, the last message by the user.
    messages: Vec<ChatMessage>,
    /// Whether the reply is sent as it is written.
    #[serde(default)]
    stream: Option<bool>,
    #[serde(default)]
    stream_options: Option<StreamOptions>,
    #[serde(flatten)]
    #[schemars(skip)]
    others: BTreeMap<String, Value>,
}

#[derive(Deserialize, JsonSchema)]
struct ChatMessage {
    /// `user` or `assistant`: the flow has its own instructions.
    role: String,
    /// A text, or a list of parts with the type `text`.
    #[serde(default)]
    #[schemars(with = "Content")]
    content: Value,
    #[serde(flatten)]
    #[schemars(skip)]
    others: BTreeMap<String, Value>,
}

/// The content of a message.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Deserialize, JsonSchema)]
struct Part {
    r#type: String,
    #[serde(default)]
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct StreamOptions {
    #[serde(default)]
    include_usage: Option<bool>,
}

/// What a request asks for.
#[derive(Debug)]
pub(crate) struct Chat {
    pub(crate) said_before: Vec<SaidMessage>,
    /// The message of the user to reply to.
    pub(crate) message: String,
    pub(crate) stream: bool,
    /// Whether a stream ends with what was used.
    pub(crate) include_usage: bool,
    /// The fields that have no effect: the flow sets what they would.
    pub(crate) ignored: Vec<String>,
}

/// What changes the reply in a way that a client would miss.
const REFUSED: [&str; 8] =
    ["n", "tools", "tool_choice", "functions", "function_call", "response_format", "audio", "modalities"];

/// The request as a conversation. `chat.messages`, `chat.unsupported`.
pub(crate) fn parse(request: ChatRequest) -> Result<Chat, ErrorReply> {
    let ChatRequest { messages, stream, stream_options, others, .. } = request;
    let is_set = |value: &Value| !value.is_null() && !value.as_array().is_some_and(Vec::is_empty);
    let set = || others.iter().filter(|(_, value)| is_set(value));
    for (name, value) in set() {
        let asks_for_default = match name.as_str() {
            "n" => value == 1,
            "response_format" => value["type"] == "text",
            "modalities" => *value == serde_json::json!(["text"]),
            "tool_choice" | "function_call" => value == "none",
            name => !REFUSED.contains(&name),
        };
        if !asks_for_default {
            return Err(unsupported(format!("The flow decides itself about `{name}`.")));
        }
    }
    let ignored =
        set().map(|(name, _)| name.clone()).filter(|name| !REFUSED.contains(&name.as_str())).collect();
    let mut said = messages.into_iter().map(message).collect::<Result<Vec<_>, _>>()?;
    let message = match said.pop() {
        Some(SaidMessage { role: Speaker::User, text }) if !text.trim().is_empty() => text,
        _ => return Err(wrong_messages("The last message has to be a text of the user.".to_owned())),
    };
    Ok(Chat {
        said_before: said,
        message,
        stream: stream.unwrap_or_default(),
        include_usage: stream_options.and_then(|options| options.include_usage).unwrap_or_default(),
        ignored,
    })
}

fn message(message: ChatMessage) -> Result<SaidMessage, ErrorReply> {
    let ChatMessage { role, content, others } = message;
    let role = match role.as_str() {
        "user" => Speaker::User,
        "assistant" => Speaker::Assistant,
        other => {
            let message = format!(
                "The flow has its own instructions and tools, so it takes no message of the role `{other}`."
            );
            return Err(unsupported(message));
        }
    };
    if others.get("tool_calls").is_some_and(|calls| !calls.is_null()) {
        return Err(unsupported(
            "The flow calls its own tools, so it takes no message with `tool_calls`.".to_owned(),
        ));
    }
    let content =
        serde_json::from_value(content).map_err(|_| wrong_messages("A message has no text.".to_owned()))?;
    let text = match content {
        Content::Text(text) => text,
        Content::Parts(parts) => {
            if let Some(other) = parts.iter().find(|part| part.r#type != "text") {
                let message = format!("The flow takes messages of text, not of the type `{}`.", other.r#type);
                return Err(unsupported(message));
            }
            parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join("\n")
        }
    };
    Ok(SaidMessage { role, text })
}

fn unsupported(message: String) -> ErrorReply {
    ErrorReply::new(codes::CHAT_UNSUPPORTED, message).hint("Leave it out of the request.")
}

fn wrong_messages(message: String) -> ErrorReply {
    ErrorReply::new(codes::CHAT_MESSAGES, message)
        .hint("Send messages of the user and the assistant with text, the last one by the user.")
}

#[cfg(test)]
mod tests;
