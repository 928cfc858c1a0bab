//! What model calls take from quotas: reserved before a call is sent, replaced by the provider's report.
//!
//! A call that would exceed a quota is not sent. Then its turn goes on with a cheaper model, asks the person or fails, as the quota
//! says.

use super::call::{CallPlace, ModelCall};
use crate::codes;
use plait_core::error::{ErrorCode, Fault};
use plait_core::offline::OFFLINE;
use plait_core::quota::{Amount, FallbackModel, OnExceeded, Quota, Share};
use plait_journal::CallEvent;
use plait_llm::models::{ModelConfig, ModelOverrides, TokenUsage};
use plait_llm::prompt_record::PromptRecord;
use plait_llm::quota::{CallReservation, Probe, QuotaLink, QuotaScope, QuotaState, Refusal, TreeCount};
use plait_run::node::NodeContext;

/// Why a model call gave no reply.
pub(crate) enum CallError {
    Failed(Fault),
    /// It would exceed a quota, and was not sent.
    OverQuota(Box<OverQuota>),
}

impl From<Fault> for CallError {
    fn from(fault: Fault) -> Self {
        Self::Failed(fault)
    }
}

impl From<CallError> for Fault {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Failed(fault) => fault,
            CallError::OverQuota(over) => over.fault(),
        }
    }
}

/// A quota that a call would exceed.
pub(crate) struct OverQuota {
    /// The place of the quota that says what to do, in the chain of the node's quotas.
    link: usize,
    state: QuotaState,
    /// What was to be reserved in it.
    wanted: Amount,
    /// What names it in questions.
    key: String,
    on_exceeded: OnExceeded,
    fallback: Option<FallbackModel>,
    /// What the person may allow on top.
    again: Share,
}

impl OverQuota {
    fn new(refusal: Refusal, links: &[QuotaLink]) -> Self {
        let key = links[refusal.link].holder().key();
        // An iteration or a branch that has used its part does what the quota says that gave it the part.
        let mut quotas = links[..=refusal.link].iter().enumerate().rev();
        let quota = quotas.find_map(|(index, link)| Some((index, Quota::clone(link.quota()?))));
        let (link, quota) = quota.unwrap_or_default();
        let Refusal { state, wanted, .. } = refusal;
        let again = quota.share();
        Self { link, state, wanted, key, on_exceeded: quota.on_exceeded, fallback: quota.fallback, again }
    }

    /// The cheaper model to call instead, if the quota names one, and the place of the quota in the chain.
    pub(crate) fn fallback(&self) -> Option<(&FallbackModel, usize)> {
        let model = self.fallback.as_ref().filter(|_| self.on_exceeded == OnExceeded::Fallback)?;
        Some((model, self.link))
    }

    /// What to ask the person, if the quota wants that: what names the quota in the journal and to the person, and the question.
    pub(crate) fn question(&self) -> Option<(String, String, String)> {
        (self.on_exceeded == OnExceeded::Ask).then(|| (self.key.clone(), self.name(), self.offer()))
    }

    /// The fault if the person has said no.
    pub(crate) fn refused(&self) -> Fault {
        let mut fault = self.fault();
        fault.message.push_str(" You did not allow more.");
        fault
    }

    fn offer(&self) -> String {
        let offer = if matches!(self.state.scope, QuotaScope::Iteration | QuotaScope::Branch) {
            "Let it use more than its part?".to_owned()
        } else {
            format!("Allow {} more?", show(self.again))
        };
        format!("{} {offer}", self.sentence())
    }

    pub(crate) fn fault(&self) -> Fault {
        let hint = if self.state.scope.is_in_run() {
            "Raise the quota, set `maxTokens` so that calls reserve less, or wire the `error` output."
        } else {
            "Raise the quota, or set `maxTokens` so that calls reserve less; then retry the run. It reuses what it has bought."
        };
        let details = serde_json::json!({ "quota": self.state, "wanted": self.wanted });
        Fault::new(self.state.scope.code(), self.sentence()).hint(hint).details(details)
    }

    fn sentence(&self) -> String {
        let QuotaState { limit, spent, reserved, .. } = &self.state;
        let used = *spent + *reserved;
        // The one that is exceeded, where both are limited.
        let tokens = limit.tokens.filter(|most| used.tokens.saturating_add(self.wanted.tokens) > *most);
        let (allowed, used, wanted) = match (tokens, limit.nano_usd) {
            (Some(most), _) => {
                (format!("{} tokens", group(most)), group(used.tokens), group(self.wanted.tokens))
            }
            (None, nano_usd) => {
                (dollars(nano_usd.unwrap_or_default()), dollars(used.nano_usd), dollars(self.wanted.nano_usd))
            }
        };
        let what = if matches!(self.state.scope, QuotaScope::Iteration | QuotaScope::Branch) {
            "share"
        } else {
            "quota"
        };
        format!(
            "The {what} of {} is {allowed}: {used} are used or reserved, and this call may use up to {wanted}.",
            self.name()
        )
    }

    fn name(&self) -> String {
        name_of(&self.state)
    }
}

/// What a quota is for, in words.
fn name_of(state: &QuotaState) -> String {
    let node = state.node.as_ref().map(|node| format!(" `{node}`")).unwrap_or_default();
    match state.scope {
        QuotaScope::Day => "the day".to_owned(),
        QuotaScope::Conversation => "the conversation".to_owned(),
        QuotaScope::Run => "the run".to_owned(),
        QuotaScope::Loop => format!("the loop{node}"),
        QuotaScope::Iteration => format!("this iteration of{node}"),
        QuotaScope::Branch => format!("this branch to{node}"),
        QuotaScope::Node => format!("the node{node}"),
    }
}

/// What a call has reserved in the run tree and in quotas, and the journal's account of it.
pub(super) struct CallCharge<'a> {
    reservation: CallReservation,
    node_context: &'a NodeContext,
    place: CallPlace,
    /// What was expected of it, before anything that is known of its model, and the model.
    expected: TokenUsage,
    model: String,
    /// Whether its report teaches how far Plait's counts are off.
    learns: bool,
    /// Other calls may wait for its report.
    probe: Probe,
}

impl<'a> CallCharge<'a> {
    /// Reserves what the call may cost at most in everything that holds it.
    pub(super) async fn reserve(
        call: &ModelCall<'a>,
        place: &CallPlace,
        prompt: &PromptRecord,
    ) -> Result<Self, CallError> {
        let node_context = call.node_context;
        let quotas = &node_context.host.quotas;
        let model = ModelOverrides::key(&call.model.provider, &call.model.model);
        let expected = expected_usage(call.model, prompt);
        // The simulators report what Plait counts.
        let learns = !quotas.is_empty() && call.model.provider != OFFLINE;
        let probe = if learns { quotas.bank.miscounts.admit(&model).await } else { Probe::default() };
        let counted = quotas.tree.reserve(TreeCount::ModelCalls)?;
        let amount = if quotas.is_empty() {
            Amount::default()
        } else {
            max_amount(call, &quotas.bank.miscounts.most(&model, expected))?
        };
        let reservation = quotas
            .reserve(counted, amount, call.iteration)
            .map_err(|refusal| CallError::OverQuota(Box::new(OverQuota::new(refusal, &quotas.links))))?;
        let charge = Self { reservation, node_context, place: place.clone(), expected, model, learns, probe };
        if !quotas.is_empty() {
            let event = CallEvent::QuotaReserved {
                step: place.step,
                attempt: node_context.attempt,
                amount,
                quotas: charge.reservation.states(),
                sampling: place.sampling.clone(),
            };
            // A crash during the call must not forget that it may have been paid.
            node_context.record(event).await?;
        }
        Ok(charge)
    }

    /// The call was answered. `is_reported`: the provider has reported the usage.
    pub(super) fn answered(self, usage: TokenUsage, cost_nano_usd: Option<u64>, is_reported: bool) {
        let tokens = usage.input.saturating_add(usage.output);
        let amount = Amount { tokens, nano_usd: cost_nano_usd.unwrap_or_default() };
        let Self { reservation, node_context, place, expected, model, learns, probe } = self;
        if learns {
            let miscounts = &node_context.host.quotas.bank.miscounts;
            miscounts.learn(&model, expected, is_reported.then_some(usage));
        }
        let reserved = reservation.amount();
        let states = reservation.answered(amount);
        // Only now do calls reserve that waited for it.
        drop(probe);
        for notice in states.iter().filter_map(|state| overrun(&model, state, reserved, amount)) {
            node_context.notice(notice);
        }
        note_charge(node_context, place, amount, false, states);
    }

    /// The call failed. It stays charged with what it may have cost.
    pub(super) fn failed(self, fault: &Fault) {
        let Self { reservation, node_context, place, .. } = self;
        let is_estimate = !is_free(&fault.code);
        let amount = if is_estimate { reservation.amount() } else { Amount::default() };
        note_charge(node_context, place, amount, is_estimate, reservation.failed(amount));
    }
}

/// What a call is expected to use at most: its prompt, as cautiously as the counts of its model have to be taken, and the longest reply.
fn expected_usage(model: &ModelConfig, prompt: &PromptRecord) -> TokenUsage {
    let cautious = model.correction.apply_cautiously(prompt.counted(), model.caution);
    TokenUsage::new(prompt.tokens.max(cautious), model.max_tokens.map_or(model.reserve, u64::from))
}

/// The notice that a call has used more than was reserved, and with it more than a quota allows.
fn overrun(model: &str, state: &QuotaState, reserved: Amount, used: Amount) -> Option<Fault> {
    let QuotaState { limit, spent, .. } = state;
    let tokens = limit.tokens.filter(|most| spent.tokens > *most && used.tokens > reserved.tokens);
    let money = limit.nano_usd.filter(|most| spent.nano_usd > *most && used.nano_usd > reserved.nano_usd);
    let (allowed, all, used, reserved) = match (tokens, money) {
        (Some(most), _) => {
            let [most, all, used, reserved] = [most, spent.tokens, used.tokens, reserved.tokens].map(group);
            (format!("{most} tokens"), all, used, reserved)
        }
        (None, Some(most)) => {
            let [most, all, used, reserved] =
                [most, spent.nano_usd, used.nano_usd, reserved.nano_usd].map(dollars);
            (most, all, used, reserved)
        }
        (None, None) => return None,
    };
    let message = format!(
        "The quota of {} is {allowed}, and {all} are used: `{model}` reports {used} for a call that had reserved {reserved}.",
        name_of(state)
    );
    let details = serde_json::json!({ "quota": state });
    Some(
        Fault::new(codes::QUOTA_OVERRUN, message)
            .hint("Later calls reserve more. Leave some room in the quota, or set `maxTokens`.")
            .details(details),
    )
}

/// The price of the most that a call may use. Fault `quota.no_price` if a quota limits money and the price is not known.
fn max_amount(call: &ModelCall<'_>, usage: &TokenUsage) -> Result<Amount, Fault> {
    let (node_context, model) = (call.node_context, call.model);
    let price = node_context.run.models.price(&model.provider, &model.model);
    if price.is_none() && node_context.host.quotas.limits_money() {
        return Err(no_price(model));
    }
    Ok(Amount {
        tokens: usage.input.saturating_add(usage.output),
        nano_usd: price.map_or(0, |price| price.nano_usd(usage)),
    })
}

/// Notes what a call is charged, if a quota holds it.
fn note_charge(
    node_context: &NodeContext,
    place: CallPlace,
    amount: Amount,
    estimated: bool,
    quotas: Vec<QuotaState>,
) {
    if !node_context.host.quotas.is_empty() {
        let (CallPlace { step, sampling }, attempt) = (place, node_context.attempt);
        node_context.note(CallEvent::QuotaReconciled { step, attempt, amount, estimated, quotas, sampling });
    }
}

fn no_price(model: &ModelConfig) -> Fault {
    let name = format!("{}/{}", model.provider, model.model);
    let message =
        format!("A quota limits money, but the price of `{name}` is not known. The call was not sent.");
    Fault::new(codes::QUOTA_NO_PRICE, message)
        .hint("Set the model's price in the settings, 0 if it is free, or limit tokens instead of money.")
}

/// Whether a call that failed so was certainly not paid: it was not sent, or refused before a model saw it.
pub(super) fn is_free(code: &ErrorCode) -> bool {
    // Without its key a call is not sent.
    if code.domain() == codes::KEYS_LOCKED.domain() {
        return true;
    }
    [
        codes::PROVIDER_BAD_OPTIONS,
        codes::PROVIDER_BAD_REQUEST,
        codes::PROVIDER_BAD_SETTINGS,
        codes::PROVIDER_CERTIFICATE,
        codes::PROVIDER_CONTEXT_EXCEEDED,
        codes::PROVIDER_NO_CLIENT,
        codes::PROVIDER_NO_KEY,
        codes::PROVIDER_NO_MODELS,
        codes::PROVIDER_NOT_FOUND,
        codes::PROVIDER_OVERLOADED,
        codes::PROVIDER_PROXY,
        codes::PROVIDER_RATE_LIMITED,
        codes::PROVIDER_SCRIPT_OVER,
        codes::PROVIDER_UNAUTHORIZED,
        codes::PROVIDER_UNKNOWN,
        codes::PROVIDER_UNREACHABLE,
    ]
    .contains(code)
}

/// What may be used, for people.
fn show(share: Share) -> String {
    let tokens = share.tokens.map(|tokens| format!("{} tokens", group(tokens)));
    let money = share.nano_usd.map(dollars);
    tokens.into_iter().chain(money).collect::<Vec<_>>().join(" and ")
}

fn dollars(nano_usd: u64) -> String {
    plait_llm::models::Cost::of_call(Some(nano_usd)).to_string()
}

/// A number with its thousands apart.
fn group(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}
