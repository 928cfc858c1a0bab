//! One model call within a turn: the request, streaming of the reply, and calibration of token counts.

use serde_json::Value;

use super::Turn;
use crate::model_call::Interruption;
use crate::model_call::call::ModelCall;
use crate::model_call::quota::{CallError, OverQuota};
use crate::model_call::stages::Recorded;
use crate::model_call::tool_calls::{ask_to_exceed, may_not_exceed};
use crate::prompt::{Call, prepare, prepare_as_text};
use plait_core::error::Fault;
use plait_llm::context::{CallOverrides, resolve_model_config};
use plait_llm::models::CalibrationSample;
use plait_llm::prompt_record::{PromptRecord, RefusedPrompt};
use plait_llm::provider::{Chunk, ModelRequest};
use plait_llm::quota::IterationCost;

impl Turn<'_> {
    pub(super) async fn ask(&mut self, step: u32) -> Result<Recorded, Interruption> {
        let mut refused: Option<RefusedPrompt> = None;
        let recorded = loop {
            match self.recorded_or_new(step, refused.as_ref()).await {
                Ok(recorded) => break recorded,
                Err(CallError::Failed(fault)) => match RefusedPrompt::of(&fault, self.sent_tokens) {
                    // Not more than once: the prompt now fits by all that is known.
                    Some(refusal) if refused.is_none() => {
                        self.learn_from(&refusal);
                        refused = Some(refusal);
                    }
                    _ => return Err(fault.into()),
                },
                Err(CallError::OverQuota(over)) => {
                    if !self.fall_back(&over)? {
                        return Err(self.over_quota(step, &over));
                    }
                }
            }
        };
        self.usage.add(&recorded);
        if let Some(sample) = recorded.learned() {
            self.calibrate(sample);
        }
        Ok(recorded)
    }

    /// How the turn ends: the person is asked, if the quota wants that, or it fails.
    fn over_quota(&self, step: u32, over: &OverQuota) -> Interruption {
        let Some((key, name, question)) = over.question() else { return over.fault().into() };
        match may_not_exceed(self.node_context, step, &key) {
            Err(fault) => fault.into(),
            Ok(true) => over.refused().into(),
            Ok(false) => ask_to_exceed(step, key, name, question),
        }
    }

    /// Goes on with the model that the quota falls back to. Not if it did so before: two quotas could send the turn from one model
    /// to the other and back.
    fn fall_back(&mut self, over: &OverQuota) -> Result<bool, Fault> {
        let Some((to, quota)) = over.fallback() else { return Ok(false) };
        if self.fallback_quotas.contains(&quota) {
            return Ok(false);
        }
        let overrides = CallOverrides {
            provider: Some(to.provider.as_deref().unwrap_or(&self.model.provider)),
            model: Some(&to.model),
            max_tokens: self.model.max_tokens,
            window: None,
        };
        let model = resolve_model_config(self.context, overrides, self.node_context.model_settings())?;
        let is_called_already = (&model.provider, &model.model) == (&self.model.provider, &self.model.model);
        if is_called_already && self.fallback.is_none() {
            return Ok(false);
        }
        self.fallback_quotas.push(quota);
        if !is_called_already {
            self.fallback = Some(self.node_context.host.providers.get(&model.provider)?);
            self.model = model;
        }
        Ok(true)
    }

    /// What an iteration of a loop costs that begins with a call of the turn.
    fn iteration_cost(&self) -> IterationCost {
        self.fallback_quotas
            .iter()
            .min()
            .map_or(IterationCost::AsBefore, |quota| IterationCost::CheaperWithin(*quota))
    }

    /// Makes the turn's prompts smaller, and lets later calls know.
    fn learn_from(&mut self, refusal: &RefusedPrompt) {
        if let Some(sample) = refusal.sample(&self.model) {
            self.calibrate(sample);
        }
        refusal.apply_to(&mut self.model);
    }

    /// `refused` is the prompt before, if the provider refused it as too large.
    async fn recorded_or_new(
        &mut self,
        step: u32,
        refused: Option<&RefusedPrompt>,
    ) -> Result<Recorded, CallError> {
        let call = ModelCall {
            node_context: self.node_context,
            model: &self.model,
            provider: self.fallback.as_deref().unwrap_or(self.provider),
            context_id: &self.context.context_id,
            iteration: self.iteration_cost(),
        };
        if let Some(recorded) = call.recorded(step) {
            return Ok(recorded);
        }
        let prompt = Call {
            context: self.context,
            config: &self.model,
            question: &self.user_message.message,
            tools: self.tools,
            blocks: self.blocks,
            turns: self.turns,
            steps: &self.steps,
        };
        let prompt = if self.model.prompt_only && self.turns.is_some() {
            prepare_as_text(prompt, &*self.node_context.host.evaluator).await?
        } else {
            prepare(prompt)?
        };
        let request = ModelRequest {
            system: prompt.system,
            tools: self.tools.to_vec(),
            temperature: self.options.temperature,
            response_schema: self.options.response_schema.cloned(),
            session: Some(self.context.session_id.to_string()).filter(|session| !session.is_empty()),
            options: Value::Object(self.options.options.clone()),
            ..call.request(prompt.messages)
        };
        self.sent_tokens = prompt.record.counted();
        let (node_context, partial) = (self.node_context, &mut self.partial);
        partial.clear();
        let mut sink = |chunk| match chunk {
            Chunk::Text(text) => {
                partial.push_str(&text);
                node_context.stream(text);
            }
            Chunk::Reasoning(text) => node_context.stream_reasoning(text),
        };
        let message_inputs = self.user_message.inputs.clone();
        let record = PromptRecord { message_inputs, refused: refused.cloned(), ..prompt.record };
        call.send(step, record, request, &mut sink).await
    }

    /// Applies the sample to the later calls of this turn, and to the conversation when the turn is committed.
    fn calibrate(&mut self, sample: CalibrationSample) {
        self.model.correction = self.model.correction.plus(sample.correction);
        match &mut self.usage.calibration {
            Some(total) => total.correction = total.correction.plus(sample.correction),
            None => self.usage.calibration = Some(sample),
        }
    }
}
