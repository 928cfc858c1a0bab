//! The stages of a model call. The only way from one to the next is a method that consumes it, so nothing is sent that is not
//! reserved, and no reply is used that is not in the journal:
//!
//! 1. [`Prepared`]: a request that can be sent. [`reserve`](Prepared::reserve) takes the reply that the run got for it that this
//!    one is forked from, or reserves what the call may cost at most.
//! 2. [`Reserved`]: [`send`](Reserved::send) journals the prompt and calls the provider.
//! 3. [`Sent`]: a reply that nobody has seen. [`record`](Sent::record) journals it and settles the reservation.
//! 4. [`Recorded`]: the reply. Tools are called for a recorded reply only. One that was journaled before a crash is taken from
//!    the journal, so nothing is paid for twice.

use std::sync::Arc;

use super::attachments::{check_support, keep_reply, load_request};
use super::call::{CallPlace, ModelCall};
use super::quota::{CallCharge, CallError, is_free};
use super::sampling_parameters::remove_refused;
use crate::codes;
use plait_core::error::{ErrorCode, Fault};
use plait_core::expression::as_text;
use plait_core::id::ReplyKey;
use plait_core::origin::{Origin, Origins};
use plait_journal::earlier_run::{EarlierReply, EarlierRun, PurchaseClaim, ReplyTurn, Sought};
use plait_journal::{CallAccount, CallEvent, EventRef, MAX_NESTING_DEPTH, is_too_deep};
use plait_llm::models::{CalibrationSample, TokenUsage};
use plait_llm::prompt_record::{PromptRecord, RequestSettings};
use plait_llm::provider::{ChunkSink, ModelReply, ModelRequest, StopOutcome};
use plait_llm::stream_pace::PaceRecorder;
use plait_llm::tokens;
use plait_run::node::NodeContext;

/// A call that can be sent.
struct Prepared<'a> {
    call: ModelCall<'a>,
    place: CallPlace,
    prompt: Arc<PromptRecord>,
    request: ModelRequest,
    key: ReplyKey,
    /// Under which earlier versions recorded the reply, if there may be one.
    whole_hash: Option<ReplyKey>,
    /// Where the reply will come from.
    origins: Origins,
}

/// A call that is paid for.
struct Reserved<'a> {
    call: ModelCall<'a>,
    place: CallPlace,
    prompt: Arc<PromptRecord>,
    key: ReplyKey,
    origins: Origins,
    purchase: Purchase<'a>,
}

enum Purchase<'a> {
    /// An earlier run has bought the reply.
    Reused(EarlierReply),
    New {
        request: Box<ModelRequest>,
        charge: CallCharge<'a>,
        /// Held until the reply is recorded.
        claim: Option<PurchaseClaim>,
    },
}

/// A call with its reply.
struct Sent<'a> {
    call: ModelCall<'a>,
    place: CallPlace,
    key: ReplyKey,
    answer: Recorded,
    /// Where another run has recorded the reply, and which one bought it if that did not.
    reused: Option<EventRef>,
    bought: Option<EventRef>,
    /// What is reserved, unless an earlier run has paid.
    charge: Option<CallCharge<'a>>,
    claim: Option<PurchaseClaim>,
}

/// A reply that is in the journal.
pub(crate) struct Recorded {
    reply: ModelReply,
    /// Its accounting. Journals of older versions have none.
    account: Option<Arc<CallAccount>>,
    origins: Origins,
    is_reused: bool,
}

impl ModelCall<'_> {
    /// The reply of this step, if an earlier attempt journaled it. The node counts as having seen what it comes from.
    pub(crate) fn recorded(&self, step: u32) -> Option<Recorded> {
        let recorded = Recorded::find(self.node_context, &step.into())?;
        self.node_context.add_origins(recorded.origins());
        Some(recorded)
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
        // A reply that a tool requests is part of the tool's call.
        if place.sampling.is_none() {
            self.node_context.may_call(|| format!("model call {}", place.step + 1)).await?;
        }
        let reserved = self.prepare(place, prompt, request)?.reserve().await?;
        Ok(reserved.send(sink).await?.record().await?)
    }
}

impl<'a> ModelCall<'a> {
    /// Completes the request and its record. Refuses a request that cannot be sent, before a person is asked for more quota.
    fn prepare(
        self,
        place: CallPlace,
        prompt: PromptRecord,
        mut request: ModelRequest,
    ) -> Result<Prepared<'a>, Fault> {
        let (node_context, model) = (self.node_context, self.model);
        let mut origins = prompt.origins();
        origins.add(&Origins::of(Origin::Model(format!("{}/{}", model.provider, model.model))));
        check_support(&request, &model.provider, self.provider)?;
        let refused_parameters = remove_refused(&model.provider, &mut request);
        let settings = RequestSettings {
            refused_parameters,
            ..RequestSettings::of(&model.provider, self.provider, &request)
        };
        let prompt = Arc::new(PromptRecord { settings, ..prompt });
        // A request without a possible key cannot be sent.
        let key = self.provider.reply_key(&request)?;
        let has_whole_hashes = node_context.earlier().is_some_and(EarlierRun::has_whole_hashes);
        let whole_hash = has_whole_hashes.then(|| self.provider.whole_hash(&request)).transpose()?;
        Ok(Prepared { call: self, place, prompt, request, key, whole_hash, origins })
    }
}

impl<'a> Prepared<'a> {
    /// Takes the reply of an earlier run, or reserves what the call may cost at most.
    async fn reserve(self) -> Result<Reserved<'a>, CallError> {
        let Self { call, place, prompt, request, key, whole_hash, origins } = self;
        let node_context = call.node_context;
        let mut earlier = node_context.earlier().and_then(|run| {
            let take = |key| run.reply(&node_context.activation, place.step, place.sampling.as_ref(), key);
            take(&key).or_else(|| take(whole_hash.as_ref()?))
        });
        let mut claim = None;
        if let Some(run) = node_context.earlier().filter(|_| earlier.is_none()) {
            match run.reply_turn(&key).await? {
                ReplyTurn::Take(reply) => earlier = Some(*reply),
                ReplyTurn::Buy(alone) => claim = alone,
            }
        }
        let purchase = if let Some(reply) = earlier {
            Purchase::Reused(reply)
        } else {
            if let Some(run) = node_context.earlier() {
                let what = || format!("The reply of `{}/{}` to this prompt", prompt.provider, prompt.model);
                run.refuse_purchase(what).map_err(|fault| {
                    run.explain_miss(fault, &node_context.activation, Sought::Reply(&prompt))
                })?;
            }
            let request = Box::new(load_request(request, &*node_context.host.attachments).await?);
            let charge = CallCharge::reserve(&call, &place, &prompt).await?;
            Purchase::New { request, charge, claim }
        };
        Ok(Reserved { call, place, prompt, key, origins, purchase })
    }
}

impl<'a> Reserved<'a> {
    /// Notes the prompt and calls the provider.
    async fn send(self, sink: &mut ChunkSink<'_>) -> Result<Sent<'a>, Fault> {
        let Self { call, place, prompt, key, origins, purchase } = self;
        let prompt_tokens = prompt.counted();
        let CallPlace { step, sampling } = place.clone();
        call.node_context.note(CallEvent::PromptRendered { step, prompt, sampling });
        let (request, charge, claim) = match purchase {
            Purchase::Reused(EarlierReply { reply, account, event, bought }) => {
                call.stream_again(&reply, account.as_deref(), sink).await;
                let answer = Recorded { reply, account, origins, is_reused: true };
                let (reused, charge, claim) = (Some(event), None, None);
                return Ok(Sent { call, place, key, answer, reused, bought, charge, claim });
            }
            Purchase::New { request, charge, claim } => (request, charge, claim),
        };
        let under_way = CallUnderWay { call, place: place.clone(), has_ended: false };
        let answered = call.call_provider(*request, prompt_tokens, sink).await;
        under_way.end();
        match answered {
            Ok((reply, account)) => {
                let account = Some(Arc::new(account));
                let answer = Recorded { reply, account, origins, is_reused: false };
                let charge = Some(charge);
                Ok(Sent { call, place, key, answer, reused: None, bought: None, charge, claim })
            }
            Err(fault) => {
                call.note_failure(place, &fault.code);
                charge.failed(&fault);
                Err(fault)
            }
        }
    }
}

impl Sent<'_> {
    /// Journals the reply, then settles what was reserved.
    async fn record(self) -> Result<Recorded, Fault> {
        let Self { call, place, key, answer, reused, bought, charge, claim } = self;
        let event = CallEvent::ModelReplied {
            step: place.step,
            reply: Box::new(answer.reply.clone()),
            account: answer.account.clone(),
            key: Some(key),
            sampling: place.sampling,
            origins: answer.origins.clone(),
            reused,
            bought,
        };
        call.node_context.record(event).await?;
        drop(claim);
        if let Some(charge) = charge {
            let cost = answer.account.as_ref().and_then(|account| account.cost_nano_usd);
            let is_reported = answer.account.as_ref().is_some_and(|account| !account.estimated);
            charge.answered(answer.reply.usage.unwrap_or_default(), cost, is_reported);
        }
        Ok(answer)
    }
}

impl Recorded {
    /// The reply of this call, if an earlier attempt journaled it.
    pub(super) fn find(node_context: &NodeContext, place: &CallPlace) -> Option<Self> {
        node_context.find_recorded(|call| match call {
            // A reply that nobody can use is asked for again.
            CallEvent::ModelReplied { step, reply, account, sampling, origins, reused, .. }
                if *step == place.step
                    && *sampling == place.sampling
                    && reply.stop_reason.outcome() != StopOutcome::Unusable =>
            {
                Some(Self {
                    reply: ModelReply::clone(reply),
                    account: account.clone(),
                    origins: origins.clone(),
                    is_reused: reused.is_some(),
                })
            }
            _ => None,
        })
    }

    pub(crate) fn reply(&self) -> &ModelReply {
        &self.reply
    }

    pub(crate) fn into_reply(self) -> ModelReply {
        self.reply
    }

    /// Where the reply comes from.
    pub(crate) fn origins(&self) -> &Origins {
        &self.origins
    }

    /// Whether it was bought by an earlier run.
    pub(crate) fn is_reused(&self) -> bool {
        self.is_reused
    }

    /// The tokens that the run has paid for.
    pub(crate) fn paid(&self) -> TokenUsage {
        if self.is_reused { TokenUsage::default() } else { self.reply.usage.unwrap_or_default() }
    }

    /// How far the token counts of the call were off.
    pub(super) fn learned(&self) -> Option<CalibrationSample> {
        self.account.as_ref()?.learned(self.reply.usage.unwrap_or_default())
    }
}

impl ModelCall<'_> {
    /// Streams a reply that an earlier run has bought at the pace at which it arrived, if that is wanted.
    async fn stream_again(
        &self,
        reply: &ModelReply,
        account: Option<&CallAccount>,
        sink: &mut ChunkSink<'_>,
    ) {
        let keeps_pace = self.node_context.earlier().is_some_and(EarlierRun::keeps_pace);
        let Some(account) = account.filter(|account| keeps_pace && !account.pace.is_empty()) else { return };
        for (wait, chunk) in account.pace.parts(reply) {
            if !wait.is_zero() {
                self.node_context.host.clock.sleep(wait).await;
            }
            sink(chunk);
        }
    }

    /// The reply, with the usage to go by.
    async fn call_provider(
        &self,
        request: ModelRequest,
        prompt_tokens: u64,
        sink: &mut ChunkSink<'_>,
    ) -> Result<(ModelReply, CallAccount), Fault> {
        let model = self.model;
        let clock = &self.node_context.host.clock;
        let mut pace = PaceRecorder::new(clock.now_ms());
        let mut paced = |chunk| {
            pace.note(&chunk, clock.now_ms());
            sink(chunk);
        };
        let mut reply = self.provider.call(request, &mut paced).await?;
        keep_reply(&mut reply, &*self.node_context.host.attachments).await?;
        check_depth(&reply)?;
        let counted = TokenUsage::new(prompt_tokens, count_reply(&model.model, &reply));
        let books = &self.node_context.run.models;
        let (mut account, usage) =
            CallAccount::of(self.context_id.clone(), model, books, counted, reply.usage);
        account.pace = pace.into_pace();
        reply.usage = Some(usage);
        Ok((reply, account))
    }

    /// Notes a failed call that may have been billed. A model that costs nothing bills nothing.
    fn note_failure(&self, place: CallPlace, code: &ErrorCode) {
        let (node_context, model) = (self.node_context, self.model);
        let costs_nothing = node_context
            .run
            .models
            .price(&model.provider, &model.model)
            .is_some_and(|price| price.input == 0.0 && price.output == 0.0);
        if costs_nothing || is_free(code) {
            return;
        }
        node_context.note(CallEvent::ModelFailed {
            step: place.step,
            context_id: self.context_id.clone(),
            model: format!("{}/{}", model.provider, model.model),
            code: code.clone(),
            sampling: place.sampling,
        });
    }
}

/// A call that waits for its reply. Dropped before the reply is there, because the node was stopped or took too long, it notes that
/// the call may have been billed.
struct CallUnderWay<'a> {
    call: ModelCall<'a>,
    place: CallPlace,
    has_ended: bool,
}

impl CallUnderWay<'_> {
    /// The provider has replied or failed.
    fn end(mut self) {
        self.has_ended = true;
    }
}

impl Drop for CallUnderWay<'_> {
    fn drop(&mut self) {
        if !self.has_ended {
            self.call.note_failure(self.place.clone(), &codes::NODE_CANCELED);
        }
    }
}

/// Refuses a reply that nests too deep for a journal to be read back.
fn check_depth(reply: &ModelReply) -> Result<(), Fault> {
    let parts = reply.tool_calls.iter().map(|call| &call.arguments).chain(&reply.provider_state);
    if parts.into_iter().any(is_too_deep) {
        let message =
            format!("The model's reply nests lists and objects deeper than {MAX_NESTING_DEPTH} levels.");
        return Err(Fault::new(codes::CHAT_TOO_DEEP, message).hint("Run it again, or use another model."));
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
