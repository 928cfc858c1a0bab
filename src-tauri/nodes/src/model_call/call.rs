//! One model call: who calls which model, and the walk through its [stages](super::stages). A reply that was journaled before a
//! crash is taken from the journal, so nothing is paid for twice.

use serde_json::Value;

use super::quota::CallError;
use super::stages::Recorded;
use plait_core::id::ContextId;
use plait_run::context::SharedMessage;
use plait_run::models::ModelConfig;
use plait_run::node::NodeContext;
use plait_run::prompt_record::PromptRecord;
use plait_run::provider::{ChunkSink, ModelRequest, Provider};
use plait_run::quota::IterationCost;
use plait_run::tool::SamplingRef;

/// Which model call of an activation it is.
#[derive(Clone, Debug)]
pub(crate) struct CallPlace {
    /// The number of the model call; that of the model call that requested the tool call, if it serves a tool.
    pub(crate) step: u32,
    /// The request of a tool that it serves.
    pub(crate) sampling: Option<SamplingRef>,
}

impl From<u32> for CallPlace {
    fn from(step: u32) -> Self {
        Self { step, sampling: None }
    }
}

/// A call of a provider's model on behalf of a node and a context.
#[derive(Clone, Copy)]
pub(crate) struct ModelCall<'a> {
    pub(crate) node_context: &'a NodeContext,
    pub(crate) model: &'a ModelConfig,
    pub(crate) provider: &'a dyn Provider,
    pub(crate) context_id: &'a ContextId,
    /// What an iteration of a loop costs that begins with this call.
    pub(crate) iteration: IterationCost,
}

impl ModelCall<'_> {
    /// The reply of this step, if an earlier attempt journaled it. The node counts as having seen what it comes from.
    pub(crate) fn recorded(&self, step: u32) -> Option<Recorded> {
        let recorded = Recorded::find(self.node_context, &step.into())?;
        self.node_context.add_origins(recorded.origins());
        Some(recorded)
    }

    /// A request with these messages and the settings of the model, nothing else.
    pub(crate) fn request(&self, messages: Vec<SharedMessage>) -> ModelRequest {
        ModelRequest {
            activation: self.node_context.activation.clone(),
            attempt: self.node_context.attempt,
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

    /// The recorded reply to `request`. `prompt` is the record of the request. The node counts as having seen what the reply
    /// comes from.
    pub(crate) async fn send(
        self,
        step: u32,
        prompt: PromptRecord,
        request: ModelRequest,
        sink: &mut ChunkSink<'_>,
    ) -> Result<Recorded, CallError> {
        let recorded = self.buy(step.into(), prompt, request, sink).await?;
        self.node_context.add_origins(recorded.origins());
        Ok(recorded)
    }

    /// The same, on behalf of a tool: what the reply comes from counts for the tool's result.
    pub(crate) async fn buy(
        self,
        place: CallPlace,
        prompt: PromptRecord,
        request: ModelRequest,
        sink: &mut ChunkSink<'_>,
    ) -> Result<Recorded, CallError> {
        let reserved = self.prepare(place, prompt, request)?.reserve().await?;
        Ok(reserved.send(sink).await?.record().await?)
    }
}
