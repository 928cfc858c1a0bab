//! The rolling summary of a workflow's memory: a model gets the summary so far and the turns that leave the recent ones, and
//! writes the next summary. Its reply is journaled like that of any call, so none is requested twice.

use std::sync::Arc;

use serde_json::Map;

use super::Turn;
use crate::codes;
use crate::model_call::summary::{SummaryCall, complete_summary, max_turn_bytes};
use plait_core::config;
use plait_core::error::Fault;
use plait_core::flow::SummarizerSettings;
use plait_core::origin::Origins;
use plait_llm::context::{CallOverrides, Message, Role, resolve_model_config};
use plait_llm::memory::{MemorySummary, MemoryTurn};
use plait_llm::models::ModelConfig;
use plait_llm::prompt_record::PromptPurpose;
use plait_llm::provider::Provider;
use plait_llm::tokens;
use plait_llm::transcript::SummaryRequest;

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
        let set = config::narrower_summarizer(node.clone(), &node_context.run.memory_settings.summarizer);
        let overrides = CallOverrides {
            provider: set.provider.as_deref(),
            model: set.model.as_deref(),
            max_tokens: Some(MAX_SUMMARY_TOKENS),
            ..CallOverrides::default()
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
        let mut call = SummaryCall {
            node_context: turn.node_context,
            provider: &*self.provider,
            model: self.model.clone(),
            context_id: &turn.context.context_id,
            step,
            purpose: PromptPurpose::MemorySummary,
            instructions: INSTRUCTIONS,
            temperature: None,
            options: Map::new(),
            refused: None,
        };
        let recorded = loop {
            if let Some(recorded) = call.recorded() {
                break recorded;
            }
            let request = request(&call.model, known, turns);
            let message = |text| Message { origins: origins.clone(), ..turn.next_message(Role::User, text) };
            if let Some(recorded) = call.send(request, message).await? {
                break recorded;
            }
        };
        turn.usage.add(&recorded);
        let text = complete_summary(recorded.reply()).map_err(no_summary)?;
        let tokens = tokens::count_u32(&self.model.model, text);
        Ok(MemorySummary { tokens, text: text.to_owned(), origins })
    }
}

/// What the model is asked: the summary so far and the turns, cut so that they fit its window.
fn request(model: &ModelConfig, known: Option<&MemorySummary>, turns: &[Arc<MemoryTurn>]) -> SummaryRequest {
    let labeled = turns.iter().map(|turn| (turn.label_for_all(), turn.text.as_str()));
    SummaryRequest::new(known.map(|known| known.text.as_str()), labeled, max_turn_bytes(model, turns.len()))
}

fn no_summary(problem: &str) -> Fault {
    let message = format!("The model for the summary of the workflow's memory {problem}.");
    Fault::new(codes::MEMORY_NO_SUMMARY, message).hint("Set another model as the summarizer of the memory.")
}
