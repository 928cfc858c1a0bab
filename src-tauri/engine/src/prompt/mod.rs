//! What reaches a model: one pipeline of small steps, from a context and a question to the final messages.
//!
//! `resolve model → snapshot → assemble → reserve → trim to the window → record`. Each step is a pure function in a file
//! of its own; [`prepare`] puts them in a row. It refuses to call anybody or to change a context: that is the node's.

mod assemble;
mod blocks;
mod record;
mod reserve;
mod resolve;
pub mod tokens;
mod tool_schemas;
mod trim;
mod window;

use serde_json::json;

use crate::context::{ContextRecord, SharedMessage};
use crate::error::Fault;
use crate::tool::ToolSpec;

use assemble::assemble;
pub use record::{Omitted, PromptPart, PromptRecord};
pub use reserve::reserve;
pub use resolve::{ECHO, ModelConfig, OFFLINE, Overrides, resolve_model_config, who_answers};
pub use tool_schemas::tool_tokens;
pub use trim::{TooLarge, trim};
pub use window::window;

/// What a prompt is made from.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// The context as it stands.
    pub context: &'a ContextRecord,
    /// Which model is called, and the room there is.
    pub config: &'a ModelConfig,
    /// The user's message. Where it is the last of the context's history already, it is not sent twice.
    pub question: &'a SharedMessage,
    /// What the model may call.
    pub tools: &'a [ToolSpec],
    /// For each round of tool calls so far: the model's message and the tools' results.
    pub steps: &'a [Vec<SharedMessage>],
}

/// What is sent to a model.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// The system text.
    pub system: Option<String>,
    /// The conversation, ending with what is to be answered.
    pub messages: Vec<SharedMessage>,
    /// What is kept of it.
    pub record: PromptRecord,
}

/// The prompt of a call; a fault `context.too_large` when what must be sent does not fit the window.
pub fn prepare(call: Call<'_>) -> Result<Prompt, Fault> {
    let Call { config, tools, steps, .. } = call;
    let parts = assemble(call.context, call.question, tools, &config.model);
    let tool_tokens = tool_tokens(&config.model, tools);
    let fixed = config.reserve + parts.system_tokens + tool_tokens;
    let conversation = parts.history.iter().chain(&parts.question).chain(steps.iter().flatten());
    let count = parts.history.len()
        + usize::from(parts.question.is_some())
        + steps.iter().map(Vec::len).sum::<usize>();
    let newest_first = conversation.rev().map(|message| &**message);
    let start = trim(newest_first, count, config.window.saturating_sub(fixed))
        .map_err(|found| too_large(found, config, parts.system_tokens, tool_tokens))?;
    // `start` is never behind the latest user message, which is the question or, without one, in the history.
    // Taking the history's end is cheap at any length; walking to it is not.
    let kept = parts.history.skip(start.min(parts.history.len()));
    let messages = kept.iter().chain(&parts.question).chain(steps.iter().flatten()).cloned().collect();
    let record = record::record(config, &parts, &kept, steps, tools, tool_tokens);
    Ok(Prompt { system: parts.system, messages, record })
}

fn too_large(found: TooLarge, config: &ModelConfig, system: u64, tools: u64) -> Fault {
    let TooLarge { needed, .. } = found;
    let ModelConfig { model, window, reserve, .. } = config;
    let over = (needed + system + tools + reserve).saturating_sub(*window);
    let message = format!(
        "The latest message does not fit the window of `{model}` by {over} tokens: it takes {needed} with what belongs \
         to it, the instructions {system}, the tools {tools}, and {reserve} of {window} are kept for the reply."
    );
    Fault::new("context.too_large", message)
        .hint("Shorten the message or the instructions, offer fewer tools, lower `maxTokens`, or use a larger model.")
        .details(json!({
            "over": over, "message": needed, "system": system, "tools": tools, "reserve": reserve, "window": window,
        }))
}

#[cfg(test)]
mod tests;
