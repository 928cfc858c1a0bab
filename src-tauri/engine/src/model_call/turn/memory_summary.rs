//! The rolling summary of a workflow's memory: a model gets the summary so far and the turns that leave the recent ones, and
//! writes the next summary. Its reply is journaled like that of any call, so none is requested twice.

use std::sync::Arc;

use super::Turn;
use crate::config;
use crate::context::{Message, Role};
use crate::error::{ErrorCode, Fault};
use crate::memory::{MemorySummary, MemoryTurn, SummarizerSettings};
use crate::model_call::ModelCall;
use crate::model_call::quota::CallError;
use crate::models::EXACT_PERMILLE;
use crate::origin::Origins;
use crate::prompt::{
    ModelConfig, Overrides, PromptPart, PromptPurpose, PromptRecord, RefusedPrompt, resolve_model_config,
    tokens,
};
use crate::provider::{ModelReply, ModelRequest, Provider, StopReason};

/// Maximum tokens of a summary: it is sent with every call of every node that reads the memory.
const MAX_SUMMARY_TOKENS: u32 = 1_000;

const INSTRUCTIONS: &str = "You keep the shared memory of a workflow in which people and agents speak with each other. You \
    are given the summary so far, where there is one, and the turns that came after it, each under the label of its \
    speaker. Write the summary that replaces both: who said what that still matters, what was decided and found out, \
    names, numbers and open questions. Leave out pleasantries. Write plain sentences, at most 300 words, and nothing \
    beside the summary.";

/// Writes summaries for one activation.
pub(super) struct MemorySummarizer {
    model: ModelConfig,
    provider: Arc<dyn Provider>,
}

impl MemorySummarizer {
    /// The summarizer that the node sets, else the flow or the settings, else the model of the node's context.
    pub(super) fn of(node: &SummarizerSettings, turn: &Turn<'_>) -> Result<Self, Fault> {
        let node_context = turn.node_context;
        let set = config::narrower_summarizer(node.clone(), &node_context.memory_settings.summarizer);
        let overrides = Overrides {
            provider: set.provider.as_deref(),
            model: set.model.as_deref(),
            max_tokens: Some(MAX_SUMMARY_TOKENS),
            ..Overrides::default()
        };
        let model = resolve_model_config(turn.context, overrides, node_context.model_settings())?;
        let provider = node_context.host.providers.get(&model.provider)?;
        Ok(Self { model, provider })
    }

    /// The summary of `known` and these turns, by one call that is counted as a call of `turn`.
    pub(super) async fn summarize(
        &self,
        known: Option<&MemorySummary>,
        turns: &[Arc<MemoryTurn>],
        turn: &mut Turn<'_>,
    ) -> Result<MemorySummary, Fault> {
        let mut origins = Origins::union(turns.iter().map(|turn| &turn.origins));
        origins.add(known.map_or(&Origins::NONE, |known| &known.origins));
        let step = turn.usage.model_calls;
        let (mut model, mut refused) = (self.model.clone(), None);
        let recorded = loop {
            let call = ModelCall {
                node_context: turn.node_context,
                model: &model,
                provider: &*self.provider,
                context_id: &turn.context.context_id,
            };
            if let Some(recorded) = call.recorded(step) {
                break recorded;
            }
            let message = turn.next_message(Role::User, text(&model, known, turns));
            let message = Message { origins: origins.clone(), ..message };
            let record = PromptRecord { refused: refused.clone(), ..self.prompt_record(&message) };
            let counted = record.counted();
            let request = ModelRequest {
                system: Some(INSTRUCTIONS.to_owned()),
                ..call.request(vec![Arc::new(message)])
            };
            match call.send(step, record, request, &mut |_| ()).await {
                Ok(recorded) => break recorded,
                Err(CallError::Failed(fault)) => match RefusedPrompt::of(&fault, counted) {
                    // Not more than once: the prompt now fits by all that is known.
                    Some(refusal) if refused.is_none() => {
                        refusal.apply_to(&mut model);
                        refused = Some(refusal);
                    }
                    _ => return Err(fault),
                },
                Err(over) => return Err(over.into()),
            }
        };
        turn.usage.model_calls = step + 1;
        if recorded.is_reused {
            turn.usage.reused_calls += 1;
        } else {
            turn.usage.tokens += recorded.reply.usage.unwrap_or_default();
        }
        let text = summary_text(&recorded.reply)?;
        let tokens = tokens::count_u32(&self.model.model, text);
        Ok(MemorySummary { tokens, text: text.to_owned(), origins })
    }

    fn prompt_record(&self, message: &Message) -> PromptRecord {
        let system = PromptPart::Message {
            role: Role::System,
            text: INSTRUCTIONS.to_owned(),
            tokens: tokens::TOKENS_PER_MESSAGE + tokens::count_cached(&self.model.model, INSTRUCTIONS),
            origins: Origins::NONE,
        };
        let turns = PromptPart::Message {
            role: Role::User,
            text: message.content.text(),
            tokens: message.tokens.into(),
            origins: message.origins.clone(),
        };
        PromptRecord {
            purpose: Some(PromptPurpose::MemorySummary),
            ..PromptRecord::new(&self.model, vec![system, turns], 0)
        }
    }
}

/// What the model is asked: the summary so far and the turns, cut so that they fit its window.
fn text(model: &ModelConfig, known: Option<&MemorySummary>, turns: &[Arc<MemoryTurn>]) -> String {
    // About four bytes are a token. Half of the window stays free, since counts are estimates for most models.
    let room = model.window.saturating_sub(model.reserve) / 2;
    // Less for a model that counts more tokens than Plait.
    let room = room.saturating_mul(EXACT_PERMILLE) / model.caution.max(EXACT_PERMILLE);
    let max_bytes = usize::try_from(room.saturating_mul(4)).unwrap_or(usize::MAX);
    let max_turn_bytes = (max_bytes / turns.len().max(1)).max(256);
    let mut text = known.map_or_else(String::new, |known| format!("Summary so far:\n{}\n\n", known.text));
    text.push_str("Turns:\n");
    for turn in turns {
        let turn = turn.render_for_all();
        let end = turn.floor_char_boundary(max_turn_bytes);
        text.push('\n');
        text.push_str(&turn[..end]);
        text.push_str(if end < turn.len() { " […]\n" } else { "\n" });
    }
    text
}

/// The text of a complete reply. A truncated summary would be read as if it were complete.
fn summary_text(reply: &ModelReply) -> Result<&str, Fault> {
    let text = reply.text.trim();
    let problem = match (&reply.stop_reason, reply.stop_reason.problem()) {
        (StopReason::MaxTokens, _) => "did not finish within 1,000 tokens",
        (_, Some(problem)) => problem,
        (_, None) if text.is_empty() => "replied with nothing",
        (_, None) => return Ok(text),
    };
    let message = format!("The model for the summary of the workflow's memory {problem}.");
    Err(Fault::new(ErrorCode::MemoryNoSummary, message)
        .hint("Set another model as the summarizer of the memory."))
}
