//! The offline provider: a simulator of a model. No key, no network, and always the same reply to the same request.
//!
//! Its models are modes: `echo` repeats the last user message (with a reply schema, it generates a value of that shape,
//! [`schema_value`]), `prompt` repeats a prompt and takes no other messages, `script` replies from its options
//! ([`OfflineOptions`]). It has no state: the position in a script
//! follows from the request alone ([`script_position`]), so that a resumed run continues correctly. It streams word by word,
//! counts tokens, and can be slow or fail on request.

mod options;
mod schema_value;
mod script_position;
mod word_stream;

use std::time::Duration;

use async_trait::async_trait;
use plait_core::error::Fault;
use plait_llm::context::{Role, SharedMessage};
use plait_llm::models::TokenUsage;
use plait_llm::provider::{Chunk, ChunkSink, ModelReply, ModelRequest, Provider, StopReason};
use plait_llm::tokens;
use plait_llm::tokens::tool_tokens;

pub use options::{OfflineOptions, Repeat, ScriptedCall, ScriptedFailure, ScriptedReply};
use script_position::ScriptPosition;
use word_stream::WordStream;

pub use plait_core::offline::{ECHO, PROMPT, SCRIPT};

/// The offline provider.
#[derive(Clone, Copy, Debug, Default)]
pub struct Offline;

#[async_trait]
impl Provider for Offline {
    async fn call(&self, request: ModelRequest, sink: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        let options = OfflineOptions::read(&request.model, &request.options)?;
        let position = ScriptPosition::of(&request);
        let reply = match request.model.as_str() {
            ECHO => {
                let text = match &request.response_schema {
                    Some(schema) => schema_value::generate(schema, &last_user_text(&request.messages)),
                    None => echo(&request.messages),
                };
                ScriptedReply { text: Some(text), ..ScriptedReply::default() }
            }
            PROMPT => ScriptedReply { text: Some(repeated(&request.messages)), ..ScriptedReply::default() },
            // `read` refuses every other model.
            _ => position.choose(&options)?.clone(),
        };
        sleep_ms(reply.delay_ms.or(options.delay_ms)).await;
        let failure = reply.fail.as_ref().filter(|failure| failure.applies(request.attempt));
        let mut stream = WordStream::new(&request.model, options.tokens_per_second, request.max_tokens);
        stream.send(reply.reasoning.as_deref().unwrap_or_default(), Chunk::Reasoning, sink).await;
        let text = reply.text.as_deref().unwrap_or_default();
        if let Some(failure) = failure {
            let end = text.char_indices().nth(failure.after_chars).map_or(text.len(), |(at, _)| at);
            stream.send(text.get(..end).unwrap_or_default(), Chunk::Text, sink).await;
            return Err(failure.fault());
        }
        let sent = stream.send(text, Chunk::Text, sink).await;
        let tool_calls = position.calls(&reply.tool_calls);
        let output = stream.tokens() + u64::from(tokens::count_tool_calls(&request.model, &tool_calls));
        Ok(ModelReply {
            text: sent.to_owned(),
            attachments: Vec::new(),
            stop_reason: match (sent.len() < text.len(), tool_calls.is_empty()) {
                (true, _) => StopReason::MaxTokens,
                (false, false) => StopReason::ToolCalls,
                (false, true) => StopReason::End,
            },
            usage: Some(TokenUsage::new(input_tokens(&request), output)),
            reasoning: reply.reasoning,
            tool_calls,
            response_id: None,
            provider_state: None,
        })
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        Ok(vec![ECHO.to_owned(), PROMPT.to_owned(), SCRIPT.to_owned()])
    }
}

/// The reply of `echo`.
fn echo(messages: &[SharedMessage]) -> String {
    match last_user_text(messages).as_str() {
        "" => "You said nothing.".to_owned(),
        text => format!("You said: {text}"),
    }
}

/// The reply of `prompt`: all that it received, as it is.
fn repeated(messages: &[SharedMessage]) -> String {
    let text = last_user_text(messages);
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("The prompt was:\n\n{fence}text\n{text}\n{fence}")
}

fn last_user_text(messages: &[SharedMessage]) -> String {
    let latest = messages.iter().rev().find(|message| message.role == Role::User);
    latest.map(|message| message.content.text().trim().to_owned()).unwrap_or_default()
}

async fn sleep_ms(milliseconds: Option<u64>) {
    if let Some(milliseconds) = milliseconds.filter(|milliseconds| *milliseconds > 0) {
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
    }
}

/// The tokens of the request. Messages were counted when they were created.
fn input_tokens(request: &ModelRequest) -> u64 {
    let system = request
        .system
        .as_deref()
        .map_or(0, |text| tokens::TOKENS_PER_MESSAGE + tokens::count(&request.model, text));
    let messages: u64 = request.messages.iter().map(|message| u64::from(message.tokens)).sum();
    system + messages + tool_tokens(&request.model, &request.tools)
}

#[cfg(test)]
mod tests;
