//! Calls for summaries: their prompts fit the window, a refusal of the size is answered once by a smaller text, and a
//! truncated reply is no summary.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::call::ModelCall;
use super::quota::CallError;
use super::stages::Recorded;
use plait_core::error::Fault;
use plait_core::id::ContextId;
use plait_core::origin::Origins;
use plait_llm::context::{Content, Message, Role};
use plait_llm::models::{EXACT_PERMILLE, ModelConfig};
use plait_llm::prompt_record::{PromptPart, PromptPurpose, PromptRecord, RefusedPrompt};
use plait_llm::provider::{ModelReply, ModelRequest, Provider};
use plait_llm::quota::IterationCost;
use plait_llm::tokens;
use plait_llm::transcript::SummaryRequest;
use plait_run::node::NodeContext;

pub(super) struct SummaryCall<'a> {
    pub(super) node_context: &'a NodeContext,
    pub(super) provider: &'a dyn Provider,
    /// The model. After a refusal it is known to count more tokens.
    pub(super) model: ModelConfig,
    pub(super) context_id: &'a ContextId,
    pub(super) step: u32,
    pub(super) purpose: PromptPurpose,
    pub(super) instructions: &'a str,
    pub(super) temperature: Option<f64>,
    pub(super) options: Map<String, Value>,
    /// The message before, if the provider refused it as too large.
    pub(super) refused: Option<RefusedPrompt>,
}

impl SummaryCall<'_> {
    /// The reply, if an earlier attempt journaled it.
    pub(super) fn recorded(&self) -> Option<Recorded> {
        self.call().recorded(self.step)
    }

    /// The reply to `request`, which is sent as the text of the message. `None` if the provider refused it as too large: then a shorter one is due, written for the model
    /// as it is known now. That happens once at most.
    pub(super) async fn send(
        &mut self,
        request: SummaryRequest,
        message: impl FnOnce(Content) -> Message,
    ) -> Result<Option<Recorded>, Fault> {
        let message = message(request.into());
        let record = PromptRecord { refused: self.refused.clone(), ..self.prompt_record(&message) };
        let counted = record.counted();
        let request = ModelRequest {
            system: Some(self.instructions.to_owned()),
            temperature: self.temperature,
            options: Value::Object(self.options.clone()),
            ..self.call().request(vec![Arc::new(message)])
        };
        match self.call().send(self.step, record, request, &mut |_| ()).await {
            Ok(recorded) => Ok(Some(recorded)),
            Err(CallError::Failed(fault)) => match RefusedPrompt::of(&fault, counted) {
                Some(refusal) if self.refused.is_none() => {
                    refusal.apply_to(&mut self.model);
                    self.refused = Some(refusal);
                    Ok(None)
                }
                _ => Err(fault),
            },
            Err(over) => Err(over.into()),
        }
    }

    fn call(&self) -> ModelCall<'_> {
        let Self { node_context, provider, context_id, .. } = *self;
        ModelCall {
            node_context,
            model: &self.model,
            provider,
            context_id,
            iteration: IterationCost::AsBefore,
        }
    }

    fn prompt_record(&self, message: &Message) -> PromptRecord {
        let system = PromptPart::Message {
            role: Role::System,
            text: self.instructions.to_owned(),
            tokens: tokens::TOKENS_PER_MESSAGE + tokens::count_cached(&self.model.model, self.instructions),
            origins: Origins::NONE,
        };
        let text = PromptPart::Message {
            role: Role::User,
            text: message.content.text(),
            tokens: message.tokens.into(),
            origins: message.origins.clone(),
        };
        PromptRecord { purpose: Some(self.purpose), ..PromptRecord::new(&self.model, vec![system, text], 0) }
    }
}

/// How many bytes each of so many turns may have, so that all fit the model's window.
pub(super) fn max_turn_bytes(model: &ModelConfig, turns: usize) -> usize {
    // Half of the window stays free, since counts are estimates for most models.
    let room = model.window.saturating_sub(model.reserve) / 2;
    // Less for a model that counts more tokens than Plait.
    let room = room.saturating_mul(EXACT_PERMILLE) / model.caution.max(EXACT_PERMILLE);
    // About four bytes are a token.
    let max_bytes = usize::try_from(room.saturating_mul(4)).unwrap_or(usize::MAX);
    (max_bytes / turns.max(1)).max(256)
}

/// The text of a complete reply, or the problem with the reply. A truncated summary would be read as if it were
/// complete.
pub(crate) fn complete_summary(reply: &ModelReply) -> Result<&str, &'static str> {
    let text = reply.text.trim();
    match reply.stop_reason.problem() {
        Some(problem) => Err(problem),
        None if text.is_empty() => Err("replied with nothing"),
        None => Ok(text),
    }
}
