//! What reaches a model: one pipeline of small steps, from a context and a question to the final messages.
//!
//! `resolve the model and what is reserved → assemble → trim to the window → record`. Each step is a pure function in a
//! file of its own; the node takes the first, [`prepare`] puts the others in a row. It refuses to call anybody or to change
//! a context: that is the node's.

mod assemble;
mod blocks;
mod record;
mod reserve;
mod resolve;
pub mod tokens;
mod tool_schemas;
mod trim;

use serde_json::json;

use crate::context::{ContextRecord, SharedMessage};
use crate::error::{ErrorCode, Fault};
use crate::tool::ToolSpec;

use assemble::assemble;
pub use record::{Omitted, PromptPart, PromptRecord};
pub use reserve::reserve;
pub use resolve::{
    ECHO, ModelConfig, OFFLINE, Overrides, RunModelSettings, resolve_model_config, who_answers,
};
pub use tool_schemas::tool_tokens;
pub use trim::{TooLarge, trim};

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
    let fixed = Fixed {
        system: parts.system_tokens,
        tools: tool_tokens(&config.model, tools),
        steps: steps.iter().flatten().map(|message| u64::from(message.tokens)).sum(),
    };
    // Trimming works on counts; what they are likely to be for this model decides how many of them there is room for.
    let room = config.correction.room(config.window.saturating_sub(config.reserve));
    let latest = u64::from(parts.question.as_ref().unwrap_or(call.question).tokens);
    let room = room.checked_sub(fixed.sum()).ok_or_else(|| too_large(latest, &fixed, config))?;
    let start = trim(&parts.history, parts.question.as_deref(), room)
        .map_err(|found| too_large(found.needed, &fixed, config))?;
    // `start` is never behind the latest user message, which is the question or, without one, in the history.
    // Taking the history's end is cheap at any length; walking to it is not.
    let kept = parts.history.skip(start.min(parts.history.len()));
    let messages = kept.iter().chain(&parts.question).chain(steps.iter().flatten()).cloned().collect();
    let record = record::record(config, &parts, &kept, steps, tools, fixed.tools);
    Ok(Prompt { system: parts.system, messages, record })
}

/// What is sent whatever is left out, in counted tokens.
struct Fixed {
    system: u64,
    tools: u64,
    steps: u64,
}

impl Fixed {
    fn sum(&self) -> u64 {
        self.system.saturating_add(self.tools).saturating_add(self.steps)
    }
}

/// `message` is what the latest message takes with what belongs to it.
fn too_large(message: u64, fixed: &Fixed, config: &ModelConfig) -> Fault {
    let ModelConfig { model, window, reserve, correction, .. } = config;
    let real = |counted: u64| correction.apply(counted);
    let (system, tools, steps, message) =
        (real(fixed.system), real(fixed.tools), real(fixed.steps), real(message));
    let alone = config.window.saturating_sub(*reserve);
    let over = real(fixed.sum()).saturating_add(message).saturating_add(*reserve).saturating_sub(*window);
    let told = if reserve >= window {
        format!(
            "`{model}` is to keep {reserve} tokens for its reply, and its window has only {window}: {over} too many."
        )
    } else if system > alone {
        format!(
            "The instructions alone do not fit the window of `{model}`: they take {system} tokens, and {reserve} of \
             {window} are kept for the reply. With the latest message the call is too large by {over} tokens."
        )
    } else if real(fixed.sum()) > alone {
        format!(
            "What goes with every call does not fit the window of `{model}`: the instructions take {system} tokens, the \
             tools {tools}, the steps so far {steps}, and {reserve} of {window} are kept for the reply. With the latest \
             message the call is too large by {over} tokens."
        )
    } else {
        format!(
            "The latest message does not fit the window of `{model}` by {over} tokens: it takes {message}, the \
             instructions {system}, the tools {tools}, the steps so far {steps}, and {reserve} of {window} are kept for \
             the reply."
        )
    };
    Fault::new(ErrorCode::ContextTooLarge, told)
        .hint("Shorten the message or the instructions, offer fewer tools, lower `maxTokens`, or use a larger model.")
        .details(json!({
            "over": over, "message": message, "system": system, "tools": tools, "steps": steps,
            "reserve": reserve, "window": window,
        }))
}

#[cfg(test)]
mod tests;
