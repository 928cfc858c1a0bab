//! Summaries of older messages: a model gets the previous summary and the messages after it, and writes the next summary.
//! Replies are journaled like those of any model call, so none is requested twice.

use std::sync::Arc;

use super::Memory;
use crate::codes;
use crate::model_call::{ModelCall, complete_summary};
use plait_core::error::Fault;
use plait_core::id::ContextId;
use plait_core::origin::Origins;
use plait_llm::context::{CallOverrides, ContextRecord, Message, Role, SharedMessage, resolve_model_config};
use plait_llm::models::{ModelConfig, TokenUsage};
use plait_llm::prompt_record::{PromptPart, PromptRecord};
use plait_llm::provider::{ModelReply, ModelRequest, Provider};
use plait_llm::quota::IterationCost;
use plait_llm::tokens;
use plait_llm::transcript::{PromptText, SummaryRequest};
use plait_run::node::NodeContext;

/// Maximum tokens of a summary: a page of text, an eighth of the default limit of recalled messages.
pub(super) const SUMMARY_TOKENS: u32 = 2_000;

const INSTRUCTIONS: &str = "You keep the memory of a long conversation between a user and an assistant. You are given \
    the summary so far, where there is one, and the messages that came after it. Write the summary that replaces both: \
    what the user wants and has said about themselves, what was decided and found out, names, numbers and open \
    questions. Leave out pleasantries. Write plain sentences, at most 400 words, and nothing beside the summary.";

/// The first line of a summary, so that the model recognizes it.
const HEADING: &str = "Summary of the conversation before the messages below:";

/// Writes summaries for a context.
pub(super) struct Summarizer<'a> {
    model: ModelConfig,
    provider: Arc<dyn Provider>,
    node_context: &'a NodeContext,
    /// The context that recalls the summary.
    context_id: ContextId,
}

impl<'a> Summarizer<'a> {
    pub(super) fn new(
        memory: &Memory,
        record: &ContextRecord,
        node_context: &'a NodeContext,
    ) -> Result<Self, Fault> {
        let overrides = CallOverrides {
            provider: memory.provider.as_deref(),
            model: memory.model.as_deref(),
            max_tokens: Some(SUMMARY_TOKENS),
            ..CallOverrides::default()
        };
        let model = resolve_model_config(record, overrides, node_context.model_settings())?;
        let provider = node_context.host.providers.get(&model.provider)?;
        Ok(Self { model, provider, node_context, context_id: record.context_id.clone() })
    }

    /// The summary of `previous` and the messages after it, in as many calls as the model's window requires. `usage` gets what they
    /// used, also if there is no summary in the end.
    pub(super) async fn summarize(
        &self,
        mut previous: Option<String>,
        messages: &[SharedMessage],
        usage: &mut TokenUsage,
    ) -> Result<String, Fault> {
        for (step, messages) in (0..).zip(self.split(messages)) {
            let reply = self.ask(step, previous.as_deref(), messages).await?;
            *usage += reply.usage.unwrap_or_default();
            let text = complete_summary(&reply).map_err(no_summary)?;
            previous = Some(PromptText::below(HEADING, text).into_string());
        }
        Ok(previous.unwrap_or_default())
    }

    /// Splits messages into batches that fit the window together with the instructions and a summary. A message that is
    /// larger is a batch of its own, and truncated when it is sent.
    fn split<'m>(&self, messages: &'m [SharedMessage]) -> Vec<&'m [SharedMessage]> {
        let room = self.room();
        let mut batches = Vec::new();
        let (mut from, mut used) = (0, 0);
        for (index, message) in messages.iter().enumerate() {
            let tokens = u64::from(message.tokens);
            if index > from && used + tokens > room {
                batches.push(&messages[from..index]);
                (from, used) = (index, 0);
            }
            used += tokens;
        }
        if from < messages.len() {
            batches.push(&messages[from..]);
        }
        batches
    }

    /// Tokens of the window that are available for messages. Half stays free, since token counts are estimates for most
    /// models.
    fn room(&self) -> u64 {
        let fixed = self.model.reserve
            + u64::from(SUMMARY_TOKENS)
            + tokens::count_cached(&self.model.model, INSTRUCTIONS);
        (self.model.window.saturating_sub(fixed) / 2).max(256)
    }

    async fn ask(
        &self,
        step: u32,
        previous: Option<&str>,
        messages: &[SharedMessage],
    ) -> Result<ModelReply, Fault> {
        let call = ModelCall {
            node_context: self.node_context,
            model: &self.model,
            provider: &*self.provider,
            context_id: &self.context_id,
            iteration: IterationCost::AsBefore,
        };
        if let Some(recorded) = call.recorded(step) {
            return Ok(recorded.into_reply());
        }
        let message = Arc::new(self.user_message(step, previous, messages));
        let record = self.prompt_record(&message, messages);
        let request = ModelRequest { system: Some(INSTRUCTIONS.to_owned()), ..call.request(vec![message]) };
        Ok(call.send(step, record, request, &mut |_| ()).await?.into_reply())
    }

    fn user_message(&self, step: u32, previous: Option<&str>, messages: &[SharedMessage]) -> Message {
        // About four bytes are a token. A single message that is too large is truncated.
        let max_bytes = usize::try_from(self.room().saturating_mul(4)).unwrap_or(usize::MAX);
        let texts: Vec<String> = messages.iter().map(|message| message.content.text()).collect();
        let turns =
            messages.iter().map(|message| message.role.speaker()).zip(texts.iter().map(String::as_str));
        let text = SummaryRequest::new(previous.map(without_heading).as_deref(), turns, max_bytes);
        let index = usize::try_from(step).unwrap_or(usize::MAX);
        self.node_context.message(index, Role::User, text, &self.model.model)
    }

    /// The record of the prompt. It refers to the messages by id.
    fn prompt_record(&self, message: &Message, messages: &[SharedMessage]) -> PromptRecord {
        let system = PromptPart::Message {
            role: Role::System,
            text: INSTRUCTIONS.to_owned(),
            tokens: tokens::TOKENS_PER_MESSAGE + tokens::count_cached(&self.model.model, INSTRUCTIONS),
            origins: Origins::NONE,
        };
        let mut parts = vec![system];
        if let (Some(first), Some(last)) = (messages.first(), messages.last()) {
            let (first, last, count) = (first.id.clone(), last.id.clone(), messages.len() as u64);
            let origins = Origins::union(messages.iter().map(|message| &message.origins));
            parts.push(PromptPart::History { first, last, count, tokens: message.tokens.into(), origins });
        }
        PromptRecord::new(&self.model, parts, 0)
    }
}

/// The lines below the heading. A summary of an early version is not indented.
fn without_heading(summary: &str) -> String {
    let lines = summary.strip_prefix(HEADING).unwrap_or(summary).trim_start_matches('\n').lines();
    lines.map(|line| line.strip_prefix("  ").unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

fn no_summary(problem: &str) -> Fault {
    let message = format!("The model for the summary of the conversation {problem}.");
    Fault::new(codes::CONVERSATION_NO_SUMMARY, message)
        .hint("Use another model for summaries, or the strategy `window`.")
}
