//! One call of the model: the prompt is noted, the reply streamed and journaled before anything follows. A reply that was
//! journaled before a crash is taken from there; nothing is paid for twice.

use std::sync::Arc;

use serde_json::Value;

use super::turn::Turn;
use crate::error::Fault;
use crate::node::as_text;
use crate::prompt::{Call, prepare, tokens};
use crate::provider::{Chunk, ModelReply, ModelRequest};
use crate::run::{Fact, TokenUsage};

impl Turn<'_> {
    /// The model's reply in this step.
    pub(super) async fn ask(&mut self, step: u32) -> Result<ModelReply, Fault> {
        if let Some(reply) = self.recorded_reply(step) {
            return Ok(reply);
        }
        let prompt = prepare(Call {
            context: self.context,
            config: self.model,
            question: self.question,
            tools: self.tools,
            steps: &self.steps,
        })?;
        let prompt_tokens = prompt.record.tokens;
        let (node, epoch) = self.place();
        self.cx.note(Fact::PromptRendered { node, epoch, step, prompt: Arc::new(prompt.record) });
        let request = ModelRequest {
            activation: self.cx.activation.clone(),
            attempt: self.cx.attempt,
            model: self.model.model.clone(),
            system: prompt.system,
            messages: prompt.messages,
            tools: self.tools.to_vec(),
            temperature: self.config.temperature,
            max_tokens: self.model.max_tokens,
            window: Some(self.model.window),
            response_schema: self.config.response_schema.clone(),
            session: Some(self.context.session_id.clone()),
            options: Value::Object(self.config.options.clone()),
        };
        let (cx, partial) = (self.cx, &mut self.partial);
        partial.clear();
        let mut reply = self
            .provider
            .call(request, &mut |chunk| match chunk {
                Chunk::Text(text) => {
                    partial.push_str(&text);
                    cx.stream(text);
                }
                Chunk::Reasoning(text) => cx.stream_reasoning(text),
            })
            .await?;
        if reply.usage.is_none() {
            reply.usage = Some(TokenUsage::new(prompt_tokens, counted(&self.model.model, &reply)));
        }
        let (node, epoch) = self.place();
        self.cx.record(Fact::ModelReplied { node, epoch, step, reply: reply.clone() }).await?;
        Ok(reply)
    }

    fn recorded_reply(&self, wanted: u32) -> Option<ModelReply> {
        self.cx.recorded.iter().find_map(|fact| match fact {
            Fact::ModelReplied { step, reply, .. } if *step == wanted => Some(reply.clone()),
            _ => None,
        })
    }
}

/// The tokens of a reply whose provider does not say.
fn counted(model: &str, reply: &ModelReply) -> u64 {
    let calls = reply
        .tool_calls
        .iter()
        .map(|call| tokens::count(model, &call.name) + tokens::count(model, &as_text(&call.arguments)));
    let reasoning = reply.reasoning.as_deref().map_or(0, |text| tokens::count(model, text));
    tokens::count(model, &reply.text) + reasoning + calls.sum::<u64>()
}
