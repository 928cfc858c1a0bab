//! One call of the model: the prompt is noted, the reply streamed and journaled before anything follows. A reply that was
//! journaled before a crash is taken from there; nothing is paid for twice.

use std::sync::Arc;

use serde_json::Value;

use super::turn::Turn;
use crate::error::Fault;
use crate::models::Learned;
use crate::node::as_text;
use crate::prompt::{Call, prepare, tokens};
use crate::provider::{Chunk, ModelReply, ModelRequest};
use crate::run::{CallAccount, Fact, TokenUsage};

impl Turn<'_> {
    /// The model's reply in this step.
    pub(super) async fn ask(&mut self, step: u32) -> Result<ModelReply, Fault> {
        let (reply, account) = match self.recorded_reply(step) {
            Some(recorded) => recorded,
            None => self.buy(step).await?,
        };
        let usage = reply.usage.unwrap_or_default();
        self.spent.model_calls = step + 1;
        self.spent.usage += usage;
        if let Some(learned) = account.and_then(|account| account.learned(usage)) {
            self.learn(learned);
        }
        Ok(reply)
    }

    async fn buy(&mut self, step: u32) -> Result<(ModelReply, Option<Arc<CallAccount>>), Fault> {
        let prompt = prepare(Call {
            context: self.context,
            config: &self.model,
            question: &self.question.message,
            tools: self.tools,
            steps: &self.steps,
        })?;
        let counted_prompt = prompt.record.counted();
        let (node, epoch) = self.place();
        self.cx.note(Fact::PromptRendered { node, epoch, step, prompt: Arc::new(prompt.record) });
        let request = ModelRequest {
            activation: self.cx.activation.clone(),
            attempt: self.cx.attempt,
            model: self.model.model.clone(),
            system: prompt.system,
            messages: prompt.messages,
            tools: self.tools.to_vec(),
            temperature: self.manner.temperature,
            max_tokens: self.model.max_tokens,
            window: Some(self.model.window),
            response_schema: self.manner.response_schema.cloned(),
            session: Some(self.context.session_id.clone()).filter(|session| !session.is_empty()),
            options: Value::Object(self.manner.options.clone()),
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
        let counted = TokenUsage::new(counted_prompt, counted(&self.model.model, &reply));
        let context_id = self.context.context_id.clone();
        let (account, usage) =
            CallAccount::of(context_id, &self.model, &self.cx.models, counted, reply.usage);
        let account = Arc::new(account);
        reply.usage = Some(usage);
        let (node, epoch) = self.place();
        let fact = Fact::ModelReplied {
            node,
            epoch,
            step,
            reply: reply.clone(),
            account: Some(Arc::clone(&account)),
        };
        self.cx.record(fact).await?;
        Ok((reply, Some(account)))
    }

    /// The next call of the turn is counted with it, and the conversation's when the turn is committed.
    fn learn(&mut self, new: Learned) {
        self.model.correction = self.model.correction.plus(new.correction);
        match &mut self.spent.learned {
            Some(known) => known.correction = known.correction.plus(new.correction),
            None => self.spent.learned = Some(new),
        }
    }

    fn recorded_reply(&self, wanted: u32) -> Option<(ModelReply, Option<Arc<CallAccount>>)> {
        self.cx.recorded.iter().find_map(|fact| match fact {
            Fact::ModelReplied { step, reply, account, .. } if *step == wanted => {
                Some((reply.clone(), account.clone()))
            }
            _ => None,
        })
    }
}

/// The tokens of a reply, as far as it can be seen.
fn counted(model: &str, reply: &ModelReply) -> u64 {
    let calls = reply
        .tool_calls
        .iter()
        .map(|call| tokens::count(model, &call.name) + tokens::count(model, &as_text(&call.arguments)));
    let reasoning = reply.reasoning.as_deref().map_or(0, |text| tokens::count(model, text));
    tokens::count(model, &reply.text) + reasoning + calls.sum::<u64>()
}
