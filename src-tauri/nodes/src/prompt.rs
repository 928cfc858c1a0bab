//! The prompt pipeline: from a context and a user message to the messages that a model receives.
//!
//! `resolve the model and its reserve → assemble → bound the turns of a loop → trim to the window → record`. Each step is a pure function in its own
//! file. The node runs the first; [`prepare`] runs the others. Calls no provider and changes no context.

mod assemble;
mod blocks;
mod loop_turns;
mod record;
mod trim;

use serde_json::json;

use plait_core::error::Fault;
use plait_core::expression::evaluation::Evaluator;
use plait_llm::context::{ContextRecord, SharedMessage};
use plait_llm::models::ModelConfig;
use plait_llm::prompt_record::{BlockKind, PromptRecord};
use plait_llm::tokens::tool_tokens;
use plait_llm::tool::ToolSpec;

use assemble::{Assembled, assemble};
pub use blocks::{BlockInputs, MemoryView, Partner};
pub use loop_turns::LoopTurns;
use loop_turns::SentTurns;
pub use trim::{TooLarge, trim};

use crate::codes;

/// The inputs of a prompt.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    pub context: &'a ContextRecord,
    /// The model and its window.
    pub config: &'a ModelConfig,
    /// The user message. If it is already the last message of the history, it is not sent twice.
    pub question: &'a SharedMessage,
    /// The tools that the model may call.
    pub tools: &'a [ToolSpec],
    /// What stands around the user message.
    pub blocks: BlockInputs<'a>,
    /// The conversation of the innermost conversational loop around the node, if there is one.
    pub turns: Option<&'a LoopTurns<'a>>,
    /// For each round of tool calls so far: the model's message and the tools' results.
    pub steps: &'a [Vec<SharedMessage>],
}

/// The prompt of a model call.
#[derive(Clone, Debug)]
pub struct Prompt {
    pub system: Option<String>,
    /// The messages, ending with the one to answer.
    pub messages: Vec<SharedMessage>,
    /// Its record for the journal.
    pub record: PromptRecord,
}

/// Builds the prompt of a call. The fault is `context.too_large` if the parts that cannot be trimmed exceed the window.
pub fn prepare(call: Call<'_>) -> Result<Prompt, Fault> {
    let mut draft = Draft::new(call)?;
    let room = draft.room_for_turns();
    let bounded = match draft.parts.turns.take() {
        Some(turns) if turns.tokens <= room => Some(turns),
        _ => call.turns.and_then(|turns| turns.bound(room, &draft.parts.insertions)),
    };
    draft.finish(bounded.map(|bounded| SentTurns { bounded, text: None, room }).as_ref())
}

/// The same for a model that takes a single prompt: the turns of a loop's conversation are written before the user message. The
/// other faults are those of the loop's template.
pub async fn prepare_as_text(call: Call<'_>, evaluator: &dyn Evaluator) -> Result<Prompt, Fault> {
    let draft = Draft::new(call)?;
    let sent = match call.turns {
        Some(turns) => {
            let insertions = &draft.parts.insertions;
            turns.write(draft.room_for_turns(), insertions, &call.config.model, evaluator).await?
        }
        None => None,
    };
    draft.finish(sent.as_ref())
}

/// A prompt before its history is bounded and trimmed.
struct Draft<'a> {
    call: Call<'a>,
    parts: Assembled,
    fixed: Fixed,
    /// The tokens that are left for the history and the user message.
    room: u64,
}

impl<'a> Draft<'a> {
    fn new(call: Call<'a>) -> Result<Self, Fault> {
        let Call { config, tools, steps, .. } = call;
        let parts = assemble(call.context, call.question, tools, call.blocks, call.turns, &config.model);
        let fixed = Fixed {
            system: parts.system_tokens,
            tools: tool_tokens(&config.model, tools),
            steps: steps.iter().flatten().map(|message| u64::from(message.tokens)).sum(),
            turns: 0,
        };
        // Trimming works on counted tokens. The correction converts the window into counted tokens for this model.
        let usable = config.window.saturating_sub(config.reserve);
        let room = config.correction.to_counted_cautiously(usable, config.caution);
        let latest = u64::from(parts.question.as_ref().unwrap_or(call.question).tokens);
        let room = room.checked_sub(fixed.sum()).ok_or_else(|| too_large(latest, &fixed, (&call, &parts)))?;
        Ok(Self { call, parts, fixed, room })
    }

    /// The tokens that are left for the turns of a loop's conversation.
    fn room_for_turns(&self) -> u64 {
        let latest = self.parts.question.as_ref().map_or(0, |question| question.tokens);
        self.room.saturating_sub(latest.into())
    }

    fn finish(self, sent: Option<&SentTurns>) -> Result<Prompt, Fault> {
        let Self { call, parts, mut fixed, room } = self;
        let Call { config, tools, steps, turns, .. } = call;
        fixed.turns = sent.map_or(0, SentTurns::tokens);
        let start = trim(&parts.history, parts.question.as_deref(), room.saturating_sub(fixed.turns))
            .map_err(|found| too_large(found.needed, &fixed, (&call, &parts)))?;
        let start = start.min(parts.history.len());
        let record = record::build_record(config, &parts, start, turns.zip(sent), steps, tools, fixed.tools);
        let question = match sent {
            Some(sent) => parts.question.map(|question| sent.before(question)),
            None => parts.question,
        };
        let mut messages = Vec::new();
        parts.history.copy_from(start, &mut messages);
        if let Some(sent) = sent.filter(|sent| sent.text.is_none()) {
            sent.bounded.messages.copy_from(0, &mut messages);
        }
        messages.extend(question.iter().chain(steps.iter().flatten()).cloned());
        Ok(Prompt { system: parts.system, messages, record })
    }
}

/// The parts that are always sent, in counted tokens.
struct Fixed {
    system: u64,
    tools: u64,
    steps: u64,
    /// The turns of a loop's conversation, once they are bounded.
    turns: u64,
}

impl Fixed {
    fn sum(&self) -> u64 {
        self.system.saturating_add(self.tools).saturating_add(self.steps).saturating_add(self.turns)
    }
}

/// `message` is the size of the latest message with its tool steps.
fn too_large(message: u64, fixed: &Fixed, (call, parts): (&Call<'_>, &Assembled)) -> Fault {
    let config = call.config;
    let ModelConfig { model, window, reserve, correction, caution, .. } = config;
    let real = |counted: u64| correction.apply_cautiously(counted, *caution);
    let message_counted = message;
    let (system, tools, steps, message) =
        (real(fixed.system), real(fixed.tools), real(fixed.steps), real(message));
    let turns = real(fixed.turns);
    let alone = config.window.saturating_sub(*reserve);
    let over = real(fixed.sum()).saturating_add(message).saturating_add(*reserve).saturating_sub(*window);
    let text = if reserve >= window {
        format!(
            "{reserve} tokens are reserved for the reply of `{model}`, but its window has only {window}: {over} too many."
        )
    } else if system > alone {
        format!(
            "The instructions alone do not fit the window of `{model}`: they take {system} tokens, and {reserve} of \
             {window} are reserved for the reply. With the latest message the call is too large by {over} tokens."
        )
    } else if real(fixed.sum()) > alone {
        format!(
            "What goes with every call does not fit the window of `{model}`: the instructions take {system} tokens, the \
             tools {tools}, the steps so far {steps}, and {reserve} of {window} are kept for the reply and as a margin. With the latest \
             message the call is too large by {over} tokens."
        )
    } else {
        format!(
            "The latest message does not fit the window of `{model}` by {over} tokens: it takes {message}, the \
             instructions {system}, the tools {tools}, the steps so far {steps}, and {reserve} of {window} are kept for \
             the reply."
        )
    };
    let text = if turns == 0 {
        text
    } else {
        format!(
            "{text} The turns of the loop that are always sent (its summary and pinned turns) take {turns}."
        )
    };
    let largest = largest_part(call, parts, fixed, message_counted);
    let text = format!("{text} The largest part is {}, with {} tokens.", largest.0, real(largest.1));
    Fault::new(codes::CONTEXT_TOO_LARGE, text)
        .hint("Shorten the message or the instructions, offer fewer tools, lower `maxTokens`, or use a larger model.")
        .details(json!({
            "over": over, "message": message, "system": system, "tools": tools, "steps": steps, "turns": turns,
            "largest": { "what": largest.0, "tokens": real(largest.1) }, "reserve": reserve, "window": window, "provider": config.provider, "model": model,
        }))
}

/// What takes most of a prompt among the parts that can't be left out, and its size in counted tokens.
fn largest_part(call: &Call<'_>, parts: &Assembled, fixed: &Fixed, message: u64) -> (String, u64) {
    let model = &call.config.model;
    let mut all = vec![("the instructions".to_owned(), fixed.system)];
    all.extend(
        call.tools.iter().map(|tool| {
            (format!("the tool `{}`", tool.name), tool_tokens(model, std::slice::from_ref(tool)))
        }),
    );
    let steps: Vec<&SharedMessage> = call.steps.iter().flatten().collect();
    let called = |id: &str| {
        let mut calls = steps.iter().flat_map(|step| &step.tool_calls);
        calls.find(|call| call.id == id).map_or_else(|| id.to_owned(), |call| call.name.clone())
    };
    all.extend(steps.iter().map(|step| match &step.tool_call_id {
        Some(id) => (format!("the result of the tool `{}`", called(id)), step.tokens.into()),
        None => ("an earlier reply of this turn".to_owned(), step.tokens.into()),
    }));
    all.push(("the turns of the loop that are always sent".to_owned(), fixed.turns));
    let question = parts.question.as_ref().unwrap_or(call.question);
    let attached = blocks::attachment_tokens(question, model);
    all.push(("what is attached to the message".to_owned(), attached));
    if parts.blocks.is_empty() {
        all.push(("the message".to_owned(), message.saturating_sub(attached)));
    }
    all.extend(parts.blocks.iter().map(|block| {
        let what = match block.kind {
            BlockKind::Retrieval => "what was found in the knowledge base",
            BlockKind::Tools => "the instructions of the tools",
            BlockKind::Memory => "the workflow's memory",
            BlockKind::Partner => "the message",
        };
        (what.to_owned(), block.tokens)
    }));
    all.into_iter().max_by_key(|(_, tokens)| *tokens).unwrap_or_default()
}

#[cfg(test)]
mod tests;
