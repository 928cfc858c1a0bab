//! Buying a model's reply: the prompt is noted before, the reply journaled before anything follows. A reply that was
//! journaled before a crash is taken from there; nothing is paid for twice.

use std::sync::Arc;

use serde_json::Value;

use crate::context::SharedMessage;
use crate::error::{ErrorCode, Fault};
use crate::expression::as_text;
use crate::id::ContextId;
use crate::journal::{CallAccount, CallEvent, Event, MAX_NESTING_DEPTH, is_too_deep};
use crate::models::TokenUsage;
use crate::node::NodeContext;
use crate::prompt::{ModelConfig, PromptRecord, tokens};
use crate::provider::{ChunkSink, ModelReply, ModelRequest, Provider};

/// A reply, and what it comes to where that was noted.
pub(crate) type Bought = (ModelReply, Option<Arc<CallAccount>>);

/// Who buys a reply, from whom, and for which context.
#[derive(Clone, Copy)]
pub(crate) struct Purchase<'a> {
    pub(crate) cx: &'a NodeContext,
    pub(crate) model: &'a ModelConfig,
    pub(crate) provider: &'a dyn Provider,
    pub(crate) context_id: &'a ContextId,
}

impl Purchase<'_> {
    /// The reply of this step, where it was bought before a crash or a failed try.
    pub(crate) fn recorded(&self, wanted: u32) -> Option<Bought> {
        self.cx.recorded.iter().find_map(|event| match event {
            Event::Call(_, CallEvent::ModelReplied { step, reply, account, .. }) if *step == wanted => {
                Some((reply.clone(), account.clone()))
            }
            _ => None,
        })
    }

    /// A request of these messages to this model, and of nothing else.
    pub(crate) fn request(&self, messages: Vec<SharedMessage>) -> ModelRequest {
        ModelRequest {
            activation: self.cx.activation.clone(),
            attempt: self.cx.attempt,
            model: self.model.model.clone(),
            system: None,
            messages,
            tools: Vec::new(),
            temperature: None,
            max_tokens: self.model.max_tokens,
            window: Some(self.model.window),
            response_schema: None,
            session: None,
            options: Value::Null,
        }
    }

    /// The reply to `request`, of which `prompt` is the record.
    pub(crate) async fn buy(
        &self,
        step: u32,
        prompt: PromptRecord,
        request: ModelRequest,
        sink: &mut ChunkSink<'_>,
    ) -> Result<Bought, Fault> {
        let (cx, model) = (self.cx, self.model);
        let counted_prompt = prompt.counted();
        cx.note(CallEvent::PromptRendered { step, prompt: Arc::new(prompt) });
        let mut reply = self.provider.call(request, sink).await?;
        readable(&reply)?;
        let counted = TokenUsage::new(counted_prompt, counted(&model.model, &reply));
        let (account, usage) =
            CallAccount::of(self.context_id.clone(), model, &cx.models, counted, reply.usage);
        reply.usage = Some(usage);
        let account = Some(Arc::new(account));
        let (bought, kept) = (reply.clone(), account.clone());
        cx.record(CallEvent::ModelReplied { step, reply: bought, account: kept }).await?;
        Ok((reply, account))
    }
}

/// Whether a journal that holds the reply can be read back.
fn readable(reply: &ModelReply) -> Result<(), Fault> {
    let parts = reply.tool_calls.iter().map(|call| &call.arguments).chain(&reply.provider_state);
    if parts.into_iter().any(is_too_deep) {
        let told =
            format!("What the model gave is nested deeper than {MAX_NESTING_DEPTH} lists and objects.");
        return Err(Fault::new(ErrorCode::ChatTooDeep, told).hint("Ask again, or ask another model."));
    }
    Ok(())
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
