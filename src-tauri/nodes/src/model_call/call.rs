//! One model call: the prompt is journaled before it, the reply before anything that follows from it. A reply that was
//! journaled before a crash is reused, so nothing is paid for twice.

use std::sync::Arc;

use serde_json::Value;

use super::attachments::{check_support, keep_reply, load_request};
use super::quota::{CallError, CallReservation, is_free};
use super::sampling_parameters::remove_refused;
use plait_core::error::{ErrorCode, Fault};
use plait_core::expression::as_text;
use plait_core::id::{ContextId, ReplyKey};
use plait_core::origin::{Origin, Origins};
use plait_run::context::SharedMessage;
use plait_run::earlier_run::EarlierReply;
use plait_run::journal::{CallAccount, CallEvent, MAX_NESTING_DEPTH, is_too_deep};
use plait_run::models::{ModelConfig, TokenUsage};
use plait_run::node::NodeContext;
use plait_run::prompt_record::{PromptRecord, RequestSettings};
use plait_run::provider::{ChunkSink, ModelReply, ModelRequest, Provider, StopOutcome};
use plait_run::quota::{IterationCost, TreeCount};
use plait_run::tokens;
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

/// A reply that is in the journal.
pub(crate) struct RecordedReply {
    pub(crate) reply: ModelReply,
    /// Its accounting. Journals of older versions have none.
    pub(crate) account: Option<Arc<CallAccount>>,
    /// Where it comes from.
    pub(crate) origins: Origins,
    /// Whether it was bought by an earlier run.
    pub(crate) is_reused: bool,
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
    pub(crate) fn recorded(&self, step: u32) -> Option<RecordedReply> {
        let recorded = find_recorded(self.node_context, &step.into())?;
        self.node_context.add_origins(&recorded.origins);
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

    /// Sends `request` and journals the reply, or takes the reply that the run this one is forked from got for it. `prompt` is
    /// the record of the request. The node counts as having seen what the reply comes from.
    pub(crate) async fn send(
        &self,
        step: u32,
        prompt: PromptRecord,
        request: ModelRequest,
        sink: &mut ChunkSink<'_>,
    ) -> Result<RecordedReply, CallError> {
        let recorded = self.buy(step.into(), prompt, request, sink).await?;
        self.node_context.add_origins(&recorded.origins);
        Ok(recorded)
    }

    /// The same, on behalf of somebody else than the node.
    pub(crate) async fn buy(
        &self,
        place: CallPlace,
        prompt: PromptRecord,
        mut request: ModelRequest,
        sink: &mut ChunkSink<'_>,
    ) -> Result<RecordedReply, CallError> {
        let (node_context, model) = (self.node_context, self.model);
        let prompt_tokens = prompt.counted();
        let mut origins = prompt.origins();
        origins.add(&Origins::of(Origin::Model(format!("{}/{}", model.provider, model.model))));
        check_support(&request, &model.provider, self.provider)?;
        let refused_parameters = remove_refused(&model.provider, &mut request);
        let settings = RequestSettings {
            refused_parameters,
            ..RequestSettings::of(&model.provider, self.provider, &request)
        };
        let prompt = Arc::new(PromptRecord { settings, ..prompt });
        let CallPlace { step, sampling } = place;
        // The key finds a reply of an earlier run. A request without a possible key cannot be sent, so it must not ask
        // a person for more quota.
        let needs_key = node_context.earlier().is_some() || !node_context.host.quotas.is_empty();
        let known_key = needs_key.then(|| self.provider.reply_key(&request)).transpose()?;
        let asked = known_key.is_none().then(|| request.clone());
        let bought = node_context
            .earlier()
            .zip(known_key.as_ref())
            .and_then(|(run, key)| run.reply(&node_context.activation, step, sampling.as_ref(), key));
        // Before the money is spent.
        let (request, permit, reservation) = if bought.is_some() {
            (request, None, None)
        } else {
            let request = load_request(request, &*node_context.host.attachments).await?;
            let permit = node_context.host.quotas.tree.reserve(TreeCount::ModelCalls)?;
            let place = (step, sampling.clone());
            let reservation =
                CallReservation::of(node_context, model, self.iteration, place, &prompt).await?;
            (request, Some(permit), reservation)
        };
        node_context.note(CallEvent::PromptRendered { step, prompt, sampling: sampling.clone() });
        let (recorded, key, reused) = if let Some(EarlierReply { reply, account, event }) = bought {
            let recorded = RecordedReply { reply, account, origins, is_reused: true };
            (recorded, known_key, Some(event))
        } else {
            let under_way = CallUnderWay { call: self, step, sampling: sampling.clone(), has_ended: false };
            let call = self.call(request, prompt_tokens, sink);
            let (answered, key) = futures::join!(call, self.key_meanwhile(asked));
            under_way.end();
            let (reply, account) = match answered {
                Ok(answered) => answered,
                Err(fault) => {
                    self.note_failure(step, sampling, &fault.code);
                    if let Some(reservation) = reservation {
                        reservation.failed(&fault);
                    }
                    return Err(fault.into());
                }
            };
            let recorded =
                RecordedReply { reply, account: Some(Arc::new(account)), origins, is_reused: false };
            (recorded, known_key.or(key), None)
        };
        let event = CallEvent::ModelReplied {
            step,
            reply: Box::new(recorded.reply.clone()),
            account: recorded.account.clone(),
            key,
            sampling,
            origins: recorded.origins.clone(),
            reused,
        };
        node_context.record(event).await?;
        if let Some(permit) = permit {
            permit.settle();
        }
        if let Some(reservation) = reservation {
            let cost = recorded.account.as_ref().and_then(|account| account.cost_nano_usd);
            reservation.answered(recorded.reply.usage.unwrap_or_default(), cost);
        }
        Ok(recorded)
    }

    /// The key of a request that is on its way: to make it takes as long as to send a long conversation does. None if it cannot
    /// be made, which the call itself says.
    async fn key_meanwhile(&self, asked: Option<ModelRequest>) -> Option<ReplyKey> {
        let request = asked?;
        // A connection that is open sends first.
        tokio::task::yield_now().await;
        self.provider.reply_key(&request).ok()
    }

    /// Notes a failed call that may have been billed. A model that costs nothing bills nothing.
    fn note_failure(&self, step: u32, sampling: Option<SamplingRef>, code: &ErrorCode) {
        let (node_context, model) = (self.node_context, self.model);
        let costs_nothing = node_context
            .models
            .price(&model.provider, &model.model)
            .is_some_and(|price| price.input == 0.0 && price.output == 0.0);
        if costs_nothing || is_free(code) {
            return;
        }
        node_context.note(CallEvent::ModelFailed {
            step,
            context_id: self.context_id.clone(),
            model: format!("{}/{}", model.provider, model.model),
            code: code.clone(),
            sampling,
        });
    }

    /// Calls the provider. The reply has the usage to go by.
    async fn call(
        &self,
        request: ModelRequest,
        prompt_tokens: u64,
        sink: &mut ChunkSink<'_>,
    ) -> Result<(ModelReply, CallAccount), Fault> {
        let model = self.model;
        let mut reply = self.provider.call(request, sink).await?;
        keep_reply(&mut reply, &*self.node_context.host.attachments).await?;
        check_depth(&reply)?;
        let counted = TokenUsage::new(prompt_tokens, count_reply(&model.model, &reply));
        let books = &self.node_context.models;
        let (account, usage) = CallAccount::of(self.context_id.clone(), model, books, counted, reply.usage);
        reply.usage = Some(usage);
        Ok((reply, account))
    }
}

/// A call that waits for its reply. Dropped before the reply is there, because the node was stopped or took too long, it notes that
/// the call may have been billed.
struct CallUnderWay<'a, 'c> {
    call: &'a ModelCall<'c>,
    step: u32,
    sampling: Option<SamplingRef>,
    has_ended: bool,
}

impl CallUnderWay<'_, '_> {
    /// The provider has replied or failed.
    fn end(mut self) {
        self.has_ended = true;
    }
}

impl Drop for CallUnderWay<'_, '_> {
    fn drop(&mut self) {
        if !self.has_ended {
            self.call.note_failure(self.step, self.sampling.take(), &ErrorCode::NodeCanceled);
        }
    }
}

/// The reply of this call, if an earlier attempt journaled it.
pub(crate) fn find_recorded(node_context: &NodeContext, place: &CallPlace) -> Option<RecordedReply> {
    node_context.find_recorded(|call| match call {
        // A reply that nobody can use is asked for again.
        CallEvent::ModelReplied { step, reply, account, sampling, origins, reused, .. }
            if *step == place.step
                && *sampling == place.sampling
                && reply.stop_reason.outcome() != StopOutcome::Unusable =>
        {
            Some(RecordedReply {
                reply: ModelReply::clone(reply),
                account: account.clone(),
                origins: origins.clone(),
                is_reused: reused.is_some(),
            })
        }
        _ => None,
    })
}

/// Refuses a reply that nests too deep for a journal to be read back.
fn check_depth(reply: &ModelReply) -> Result<(), Fault> {
    let parts = reply.tool_calls.iter().map(|call| &call.arguments).chain(&reply.provider_state);
    if parts.into_iter().any(is_too_deep) {
        let message =
            format!("The model's reply nests lists and objects deeper than {MAX_NESTING_DEPTH} levels.");
        return Err(Fault::new(ErrorCode::ChatTooDeep, message).hint("Run it again, or use another model."));
    }
    Ok(())
}

/// The tokens of the visible parts of a reply.
fn count_reply(model: &str, reply: &ModelReply) -> u64 {
    let calls = reply
        .tool_calls
        .iter()
        .map(|call| tokens::count(model, &call.name) + tokens::count(model, &as_text(&call.arguments)));
    let reasoning = reply.reasoning.as_deref().map_or(0, |text| tokens::count(model, text));
    let attachments = tokens::count_attachments(model, reply.attachments.iter());
    tokens::count(model, &reply.text) + attachments + reasoning + calls.sum::<u64>()
}
