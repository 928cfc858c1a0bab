//! Replies of a model that tools request during their calls.
//!
//! Each is a model call of the run: it counts against the limits of the run tree, and is journaled and streamed like others. A
//! call that is made again takes the journaled reply. Nothing of it enters a conversation; what the reply comes from counts for
//! the result of the tool.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::requests::max_tokens;
use crate::codes;
use crate::model_call::ModelCall;
use crate::model_call::call::CallPlace;
use crate::model_call::stages::Recorded;
use plait_core::error::Fault;
use plait_core::id::ContextId;
use plait_core::origin::Origins;
use plait_journal::{CallEvent, Event};
use plait_llm::context::{Message, Role, SharedMessage};
use plait_llm::models::{ModelConfig, TokenUsage, reserve};
use plait_llm::prompt_record::{PromptPart, PromptPurpose, PromptRecord};
use plait_llm::provider::{Chunk, ModelReply, ModelRequest};
use plait_llm::quota::IterationCost;
use plait_llm::tokens;
use plait_llm::tool::{OriginSink, SamplingRef, SamplingReply, SamplingRequest};
use plait_run::node::{NodeContext, NodeOutput};

/// The model that replies to tools.
#[derive(Clone, Debug)]
pub(crate) struct SamplingModel {
    pub(crate) config: ModelConfig,
    /// The context of the model, for accounting.
    pub(crate) context_id: ContextId,
}

/// What the replies to tools have used.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SamplingUsage {
    pub(crate) tokens: TokenUsage,
    pub(crate) model_calls: u32,
    /// How many of them took the reply of an earlier run. They used no tokens.
    pub(crate) reused_calls: u32,
}

impl SamplingUsage {
    /// Adds it to the output of a node that calls no model itself.
    pub(crate) fn add_to(self, mut output: NodeOutput) -> NodeOutput {
        if self.model_calls > 0 {
            output.token_usage = Some(self.tokens);
            output.cached = self.reused_calls == self.model_calls;
            output.extra.insert("modelCalls".to_owned(), self.model_calls.into());
        }
        output
    }

    fn add(&mut self, reply: &ModelReply, is_reused: bool) {
        self.model_calls += 1;
        if is_reused {
            self.reused_calls += 1;
        } else {
            self.tokens += reply.usage.unwrap_or_default();
        }
    }
}

/// Makes the replies that the tools of one execution of a node request.
pub(super) struct Sampler<'a> {
    node_context: &'a NodeContext,
    model: Option<SamplingModel>,
    /// Held while a model replies: replies to parallel calls would be mixed up in the stream.
    streaming: tokio::sync::Mutex<()>,
    /// The replies of this execution, which `NodeContext::recorded` does not have yet.
    replies: Mutex<BTreeMap<(u32, SamplingRef), (ModelReply, Origins)>>,
    usage: Mutex<SamplingUsage>,
}

impl<'a> Sampler<'a> {
    pub(super) fn new(node_context: &'a NodeContext, model: Option<SamplingModel>) -> Self {
        let mut usage = SamplingUsage::default();
        for event in node_context.recorded.iter() {
            if let Event::Call(_, CallEvent::ModelReplied { sampling: Some(_), reply, reused, .. }) = event {
                usage.add(reply, reused.is_some());
            }
        }
        Self {
            node_context,
            model,
            streaming: tokio::sync::Mutex::default(),
            replies: Mutex::default(),
            usage: Mutex::new(usage),
        }
    }

    /// The model that replies, if there is one.
    pub(super) fn model(&self) -> Option<&ModelConfig> {
        self.model.as_ref().map(|model| &model.config)
    }

    /// What the replies have used in the activation so far, in earlier executions as well.
    pub(super) fn usage(&self) -> SamplingUsage {
        *self.usage.lock()
    }

    /// The reply to a request of this call. `origins` are those of the call: what the tool wrote comes from there, and the reply
    /// adds to them.
    pub(super) async fn reply(
        &self,
        step: u32,
        sampling: SamplingRef,
        request: &SamplingRequest,
        origins: &OriginSink,
    ) -> Result<SamplingReply, Fault> {
        let _streaming = self.streaming.lock().await;
        let (reply, reply_origins) = self.recorded_or_new(step, sampling, request, origins).await?;
        origins.add_all(&reply_origins);
        let is_truncated = reply.stop_reason.is_truncated();
        let model = self.model().map(|model| model.model.clone()).unwrap_or_default();
        match reply.stop_reason.fault() {
            Some(fault) => {
                Err(Fault { message: format!("For `{}`: {}", request.from, fault.message), ..fault })
            }
            None => Ok(SamplingReply { model, text: reply.text, is_truncated }),
        }
    }

    async fn recorded_or_new(
        &self,
        step: u32,
        sampling: SamplingRef,
        request: &SamplingRequest,
        origins: &OriginSink,
    ) -> Result<(ModelReply, Origins), Fault> {
        if let Some(known) = self.replies.lock().get(&(step, sampling.clone())) {
            return Ok(known.clone());
        }
        let place = CallPlace { step, sampling: Some(sampling.clone()) };
        if let Some(recorded) = Recorded::find(self.node_context, &place) {
            return Ok(reply_of(recorded));
        }
        let recorded = self.send(place, request, origins).await?;
        self.usage.lock().add(recorded.reply(), recorded.is_reused());
        let reply = reply_of(recorded);
        self.replies.lock().insert((step, sampling), reply.clone());
        Ok(reply)
    }

    async fn send(
        &self,
        place: CallPlace,
        request: &SamplingRequest,
        origins: &OriginSink,
    ) -> Result<Recorded, Fault> {
        let Some(SamplingModel { config, context_id }) = &self.model else {
            return Err(Fault::new(codes::TOOL_NO_MODEL, "The node has no model that could reply."));
        };
        let node_context = self.node_context;
        let limit = max_tokens(request, config);
        let model = ModelConfig {
            max_tokens: Some(limit),
            reserve: reserve(config.window, Some(limit)),
            ..config.clone()
        };
        let provider = node_context.host.providers.get(&model.provider)?;
        // The tool wrote it, and had the arguments to write it from.
        let mut written_by = node_context.origins();
        written_by.add(&origins.current());
        let messages = self.messages(&place, request, &model, &written_by);
        let prompt = prompt_record(&model, request.system.as_deref(), &messages, &written_by);
        check_window(&model, &prompt)?;
        let call = ModelCall {
            node_context,
            model: &model,
            provider: &*provider,
            context_id,
            iteration: IterationCost::AsBefore,
        };
        let request = ModelRequest {
            system: request.system.clone(),
            temperature: request.temperature,
            ..call.request(messages)
        };
        let mut sink = |chunk| match chunk {
            Chunk::Text(text) => node_context.stream(text),
            Chunk::Reasoning(text) => node_context.stream_reasoning(text),
        };
        Ok(call.buy(place, prompt, request, &mut sink).await?)
    }

    fn messages(
        &self,
        place: &CallPlace,
        request: &SamplingRequest,
        model: &ModelConfig,
        origins: &Origins,
    ) -> Vec<SharedMessage> {
        let activation = &self.node_context.activation;
        let (call, number) = place.sampling.as_ref().map_or(("", 0), |one| (one.call_id.as_str(), one.index));
        let messages = request.messages.iter().enumerate().map(|(index, message)| {
            let role = if message.from_model { Role::Assistant } else { Role::User };
            let content = message.text.clone().into();
            let tokens = tokens::count_message(&model.model, &content);
            let id = format!("{activation}/{step}/{call}/{number}/{index}", step = place.step).into();
            let message = Message::plain(id, role, content, activation.clone(), tokens);
            Arc::new(Message { origins: origins.clone(), ..message })
        });
        messages.collect()
    }
}

fn reply_of(recorded: Recorded) -> (ModelReply, Origins) {
    let origins = recorded.origins().clone();
    (recorded.into_reply(), origins)
}

fn prompt_record(
    model: &ModelConfig,
    system: Option<&str>,
    messages: &[SharedMessage],
    origins: &Origins,
) -> PromptRecord {
    let system = system.map(|text| PromptPart::Message {
        role: Role::System,
        text: text.to_owned(),
        tokens: tokens::TOKENS_PER_MESSAGE + tokens::count(&model.model, text),
        origins: origins.clone(),
    });
    let messages = messages.iter().map(|message| PromptPart::Message {
        role: message.role,
        text: message.content.text(),
        tokens: message.tokens.into(),
        origins: message.origins.clone(),
    });
    let parts = system.into_iter().chain(messages).collect();
    PromptRecord { purpose: Some(PromptPurpose::Sampling), ..PromptRecord::new(model, parts, 0) }
}

/// Refuses what does not fit the window: nothing of it may be left out.
fn check_window(model: &ModelConfig, prompt: &PromptRecord) -> Result<(), Fault> {
    let needed = prompt.tokens.saturating_add(model.reserve);
    if needed <= model.window {
        return Ok(());
    }
    let ModelConfig { model, window, reserve, .. } = model;
    let message = format!(
        "What the tool wants `{model}` to reply to takes {} tokens and {reserve} are reserved for the reply, more than its \
         window of {window}.",
        prompt.tokens
    );
    Err(Fault::new(codes::CONTEXT_TOO_LARGE, message).hint("Call the tool with less, or use a larger model."))
}
