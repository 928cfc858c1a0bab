//! One call of the model in a turn: what it is sent, what is shown of the reply while it comes, and what is learnt.

use serde_json::Value;

use super::Turn;
use crate::error::Fault;
use crate::model_call::call::{Bought, Purchase};
use crate::models::CalibrationSample;
use crate::prompt::{Call, prepare};
use crate::provider::{Chunk, ModelReply, ModelRequest};

impl Turn<'_> {
    /// The model's reply in this step.
    pub(super) async fn ask(&mut self, step: u32) -> Result<ModelReply, Fault> {
        let (reply, account) = self.bought(step).await?;
        let usage = reply.usage.unwrap_or_default();
        self.spent.model_calls = step + 1;
        self.spent.usage += usage;
        if let Some(learned) = account.and_then(|account| account.learned(usage)) {
            self.learn(learned);
        }
        Ok(reply)
    }

    async fn bought(&mut self, step: u32) -> Result<Bought, Fault> {
        let purchase = Purchase {
            cx: self.cx,
            model: &self.model,
            provider: self.provider,
            context_id: &self.context.context_id,
        };
        if let Some(recorded) = purchase.recorded(step) {
            return Ok(recorded);
        }
        let prompt = prepare(Call {
            context: self.context,
            config: &self.model,
            question: &self.question.message,
            tools: self.tools,
            steps: &self.steps,
        })?;
        let request = ModelRequest {
            system: prompt.system,
            tools: self.tools.to_vec(),
            temperature: self.manner.temperature,
            response_schema: self.manner.response_schema.cloned(),
            session: Some(self.context.session_id.clone()).filter(|session| !session.is_empty()),
            options: Value::Object(self.manner.options.clone()),
            ..purchase.request(prompt.messages)
        };
        let (cx, partial) = (self.cx, &mut self.partial);
        partial.clear();
        let mut show = |chunk| match chunk {
            Chunk::Text(text) => {
                partial.push_str(&text);
                cx.stream(text);
            }
            Chunk::Reasoning(text) => cx.stream_reasoning(text),
        };
        purchase.buy(step, prompt.record, request, &mut show).await
    }

    /// The next call of the turn is counted with it, and the conversation's when the turn is committed.
    fn learn(&mut self, new: CalibrationSample) {
        self.model.correction = self.model.correction.plus(new.correction);
        match &mut self.spent.learned {
            Some(known) => known.correction = known.correction.plus(new.correction),
            None => self.spent.learned = Some(new),
        }
    }
}
