//! One model call within a turn: the request, streaming of the reply, and calibration of token counts.

use serde_json::Value;

use super::Turn;
use crate::error::Fault;
use crate::model_call::call::{ModelCall, RecordedReply};
use crate::models::CalibrationSample;
use crate::prompt::{Call, PromptRecord, prepare, prepare_as_text};
use crate::provider::{Chunk, ModelReply, ModelRequest};

impl Turn<'_> {
    /// The model's reply in this step.
    pub(super) async fn ask(&mut self, step: u32) -> Result<ModelReply, Fault> {
        let RecordedReply { reply, account, is_reused, .. } = self.recorded_or_new(step).await?;
        let usage = reply.usage.unwrap_or_default();
        self.usage.model_calls = step + 1;
        if is_reused {
            self.usage.reused_calls += 1;
        } else {
            self.usage.tokens += usage;
        }
        self.reply_is_reused = is_reused;
        if let Some(sample) = account.and_then(|account| account.learned(usage)) {
            self.calibrate(sample);
        }
        Ok(reply)
    }

    async fn recorded_or_new(&mut self, step: u32) -> Result<RecordedReply, Fault> {
        let call = ModelCall {
            node_context: self.node_context,
            model: &self.model,
            provider: self.provider,
            context_id: &self.context.context_id,
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
            session: Some(self.context.session_id.clone()).filter(|session| !session.is_empty()),
            options: Value::Object(self.options.options.clone()),
            ..call.request(prompt.messages)
        };
        let (node_context, partial) = (self.node_context, &mut self.partial);
        partial.clear();
        let mut sink = |chunk| match chunk {
            Chunk::Text(text) => {
                partial.push_str(&text);
                node_context.stream(text);
            }
            Chunk::Reasoning(text) => node_context.stream_reasoning(text),
        };
        let record = PromptRecord { message_inputs: self.user_message.inputs.clone(), ..prompt.record };
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
