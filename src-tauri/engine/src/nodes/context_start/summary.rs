//! Summing up what there is no room for: a model is told the summary so far and the messages that follow it, and gives
//! the next one. Each reply is journaled like any that was bought, so that none is bought twice.

use std::fmt::Write as _;
use std::sync::Arc;

use super::Memory;
use crate::context::{ContextRecord, Message, Role, SharedMessage};
use crate::error::{ErrorCode, Fault};
use crate::id::ContextId;
use crate::model_call::Purchase;
use crate::models::TokenUsage;
use crate::node::NodeContext;
use crate::prompt::{ModelConfig, Overrides, PromptPart, PromptRecord, resolve_model_config, tokens};
use crate::provider::{ModelReply, ModelRequest, Provider, StopReason};

/// The most tokens a summary may take: room for a page of text, an eighth of what is remembered by default.
pub(super) const SUMMARY_TOKENS: u32 = 2_000;

const INSTRUCTIONS: &str = "You keep the memory of a long conversation between a user and an assistant. You are given \
    the summary so far, where there is one, and the messages that came after it. Write the summary that replaces both: \
    what the user wants and has said about themselves, what was decided and found out, names, numbers and open \
    questions. Leave out pleasantries. Write plain sentences, at most 400 words, and nothing beside the summary.";

/// What a summary begins with, so that the model that is told it knows what it is.
const HEADING: &str = "Summary of the conversation before the messages below:";

/// Who sums up.
pub(super) struct Summarizer<'a> {
    model: ModelConfig,
    provider: Arc<dyn Provider>,
    cx: &'a NodeContext,
    /// The context that is to remember.
    context_id: ContextId,
}

impl<'a> Summarizer<'a> {
    pub(super) fn new(memory: &Memory, record: &ContextRecord, cx: &'a NodeContext) -> Result<Self, Fault> {
        let overrides = Overrides {
            provider: memory.provider.as_deref(),
            model: memory.model.as_deref(),
            max_tokens: Some(SUMMARY_TOKENS),
            ..Overrides::default()
        };
        let model = resolve_model_config(record, overrides, cx.known())?;
        let provider = cx.host.providers.get(&model.provider)?;
        Ok(Self { model, provider, cx, context_id: record.context_id.clone() })
    }

    /// The summary of `told`, the one so far, and the messages after it; in as many calls as the model's window asks for.
    pub(super) async fn sum_up(
        &self,
        mut told: Option<String>,
        messages: &[SharedMessage],
    ) -> Result<(String, TokenUsage), Fault> {
        let mut usage = TokenUsage::default();
        for (step, messages) in (0..).zip(self.portions(messages)) {
            let reply = self.ask(step, told.as_deref(), messages).await?;
            usage += reply.usage.unwrap_or_default();
            told = Some(format!("{HEADING}\n{}", summary(&reply)?));
        }
        Ok((told.unwrap_or_default(), usage))
    }

    /// Stretches of messages of which each fits the window beside the instructions and a summary. One message that is
    /// larger than that stands alone, and is shortened when it is told.
    fn portions<'m>(&self, messages: &'m [SharedMessage]) -> Vec<&'m [SharedMessage]> {
        let room = self.room();
        let mut portions = Vec::new();
        let (mut from, mut taken) = (0, 0);
        for (index, message) in messages.iter().enumerate() {
            let tokens = u64::from(message.tokens);
            if index > from && taken + tokens > room {
                portions.push(&messages[from..index]);
                (from, taken) = (index, 0);
            }
            taken += tokens;
        }
        if from < messages.len() {
            portions.push(&messages[from..]);
        }
        portions
    }

    /// What is left of the window for messages. Half of it stays free: the counts of other models than OpenAI's are
    /// estimates.
    fn room(&self) -> u64 {
        let fixed = self.model.reserve
            + u64::from(SUMMARY_TOKENS)
            + tokens::count_kept(&self.model.model, INSTRUCTIONS);
        (self.model.window.saturating_sub(fixed) / 2).max(256)
    }

    async fn ask(
        &self,
        step: u32,
        told: Option<&str>,
        messages: &[SharedMessage],
    ) -> Result<ModelReply, Fault> {
        let purchase = Purchase {
            cx: self.cx,
            model: &self.model,
            provider: &*self.provider,
            context_id: &self.context_id,
        };
        if let Some((reply, _)) = purchase.recorded(step) {
            return Ok(reply);
        }
        let question = Arc::new(self.question(step, told, messages));
        let record = self.record(&question, messages);
        let request =
            ModelRequest { system: Some(INSTRUCTIONS.to_owned()), ..purchase.request(vec![question]) };
        let (reply, _) = purchase.buy(step, record, request, &mut |_| ()).await?;
        Ok(reply)
    }

    fn question(&self, step: u32, told: Option<&str>, messages: &[SharedMessage]) -> Message {
        let mut text = String::new();
        if let Some(told) = told {
            text.push_str("Summary so far:\n");
            text.push_str(told.strip_prefix(HEADING).unwrap_or(told).trim());
            text.push_str("\n\n");
        }
        text.push_str("Messages:\n");
        // About four bytes are a token; a message that alone is more than there is room for is told from its beginning.
        let most = usize::try_from(self.room().saturating_mul(4)).unwrap_or(usize::MAX);
        for message in messages {
            let who = if message.role == Role::User { "User" } else { "Assistant" };
            let said = message.content.text();
            let cut = said.floor_char_boundary(most);
            let more = if cut < said.len() { " […]" } else { "" };
            // Writing to a string does not fail.
            let _ = write!(text, "\n{who}: {}{more}\n", &said[..cut]);
        }
        let index = usize::try_from(step).unwrap_or(usize::MAX);
        self.cx.message(index, Role::User, text, &self.model.model)
    }

    /// What is kept of the prompt: the messages by reference, as everywhere.
    fn record(&self, question: &Message, messages: &[SharedMessage]) -> PromptRecord {
        let system = PromptPart::Message {
            role: Role::System,
            text: INSTRUCTIONS.to_owned(),
            tokens: tokens::PER_MESSAGE + tokens::count_kept(&self.model.model, INSTRUCTIONS),
        };
        let mut parts = vec![system];
        if let (Some(first), Some(last)) = (messages.first(), messages.last()) {
            let (first, last, count) = (first.id.clone(), last.id.clone(), messages.len() as u64);
            parts.push(PromptPart::History { first, last, count, tokens: question.tokens.into() });
        }
        PromptRecord::of(&self.model, parts, 0)
    }
}

/// What a reply says, where it says all of it: half a summary would be remembered as if it were whole.
fn summary(reply: &ModelReply) -> Result<&str, Fault> {
    let text = reply.text.trim();
    let wrong = match reply.stop_reason {
        StopReason::ContentFilter => "was kept from answering by its provider",
        StopReason::MaxTokens => "did not come to an end within 2,000 tokens",
        _ if text.is_empty() => "answered nothing",
        _ => return Ok(text),
    };
    let told = format!("The model that was to sum up the conversation {wrong}.");
    Err(Fault::new(ErrorCode::ConversationNoSummary, told)
        .hint("Ask another model for summaries, or choose the strategy `window`."))
}
