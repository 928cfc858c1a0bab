//! The run index: one record per run, a fold over its events. Owns what a list of runs shows; refuses to know more of a
//! run than its events say.

use std::collections::BTreeMap;

use plait_core::error::Fault;
use plait_core::id::{Activation, ConversationId, NodeId, RunId};
use plait_core::quota::Amount;
use plait_core::user::UserName;
use plait_journal::view::{Asker, OpenPause, RunStatus, StopView, apply_to_stops};
use plait_journal::{
    CallEvent, ChildEvent, ChildQuestion, DebugEvent, Entry, Event, FlowRef, NodeEvent, RunEvent, Spending,
};
use plait_llm::models::{Cost, ModelOverrides, TokenUsage};
use plait_llm::tool::{SamplingRef, ToolPause};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// A quarter of an hour, in milliseconds.
pub const QUARTER_MS: u64 = 15 * 60 * 1_000;

/// How many activations ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RunCounters {
    /// Finished.
    #[ts(type = "number")]
    pub done: u64,
    /// Failed for good, handled or not.
    #[ts(type = "number")]
    pub failed: u64,
    /// Skipped.
    #[ts(type = "number")]
    pub skipped: u64,
}

/// A model call that was sent and not answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnansweredCall {
    /// The activation that made it.
    pub at: Activation,
    /// Which try of the activation, from 1.
    pub attempt: u32,
    /// Which of its calls, from 0.
    pub step: u32,
    /// The request of a tool that it serves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling: Option<SamplingRef>,
    /// When it was sent, in milliseconds since the Unix epoch.
    pub sent_at: u64,
    /// What quotas hold for it.
    pub amount: Amount,
}

impl UnansweredCall {
    fn is_same(&self, other: &Self) -> bool {
        (&self.at, self.attempt, self.step, &self.sampling)
            == (&other.at, other.attempt, other.step, &other.sampling)
    }
}

/// One run, as lists show it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunRecord {
    pub run: RunId,
    /// The flow it runs: name, file and hash of the document as it ran.
    pub flow: FlowRef,
    /// Who it belongs to, if not the default user.
    #[serde(default, skip_serializing_if = "UserName::is_default")]
    #[ts(optional, as = "Option<UserName>")]
    pub user: UserName,
    /// The run that started this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub parent_run_id: Option<RunId>,
    /// The run that it was forked from: it retries that run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub from: Option<RunId>,
    /// The command of the program that it was observed of; empty for traces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub program: Option<String>,
    /// The conversation it goes on in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub conversation: Option<ConversationId>,
    /// The conversation that pays for it: that of the run at the root of its tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(skip)]
    pub paid_by: Option<ConversationId>,
    /// The node it runs to, if not the whole flow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub to: Option<NodeId>,
    /// Where it stands.
    pub status: RunStatus,
    /// What it does when its stop is over, while a debugger holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(skip)]
    pub(crate) held: Option<RunStatus>,
    /// Its stops, without the values that they hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(skip)]
    pub(crate) stops: Vec<StopView>,
    /// When it began, in milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub started_at: u64,
    /// When its latest event happened, likewise.
    #[ts(type = "number")]
    pub updated_at: u64,
    /// When it ended, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub ended_at: Option<u64>,
    /// How long it has not worked, in milliseconds: while it waited for a person, stood still or was interrupted.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[ts(optional, as = "Option<f64>")]
    pub idle_ms: u64,
    /// How many activations ended how.
    pub counters: RunCounters,
    /// What its model calls used, by the providers' word.
    pub tokens: TokenUsage,
    /// What they cost.
    #[serde(default)]
    pub cost: Cost,
    /// The same by quarter of an hour (since the Unix epoch; midnight anywhere is the end of one) and `provider/model`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(skip)]
    pub(crate) spent: BTreeMap<u64, BTreeMap<String, Spending>>,
    /// What calls without a report stay charged with in quotas, by quarter of an hour.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(skip)]
    pub(crate) unreported: BTreeMap<u64, Amount>,
    /// Calls that were sent and not answered, with what quotas hold for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(skip)]
    pub(crate) unanswered: Vec<UnansweredCall>,
    /// The open questions, in the order they were asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<OpenPause>>")]
    pub waiting_on: Vec<OpenPause>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub error: Option<Fault>,
    /// How many events its journal holds; the record speaks of the first so many.
    #[ts(type = "number")]
    pub events: u64,
}

impl RunRecord {
    /// The record of a run whose first event is `entry`; nothing if that is not `run.started`.
    pub fn begin(entry: &Entry) -> Option<Self> {
        let Event::Run(RunEvent::Started {
            run,
            user,
            flow,
            to,
            parent_run_id,
            conversation,
            from,
            program,
            ..
        }) = &entry.event
        else {
            return None;
        };
        Some(Self {
            run: run.clone(),
            user: user.clone(),
            flow: FlowRef::clone(flow),
            parent_run_id: parent_run_id.clone(),
            from: from.as_ref().map(|from| from.run.clone()),
            program: program.as_ref().map(|program| program.command.join(" ")),
            conversation: conversation
                .as_ref()
                .filter(|_| !from.as_ref().is_some_and(|from| from.differs()))
                .map(|conversation| conversation.id.clone()),
            paid_by: None,
            to: to.clone(),
            status: RunStatus::Running,
            held: None,
            stops: Vec::new(),
            started_at: entry.at,
            updated_at: entry.at,
            ended_at: None,
            idle_ms: 0,
            counters: RunCounters::default(),
            tokens: TokenUsage::default(),
            cost: Cost::default(),
            spent: BTreeMap::new(),
            unreported: BTreeMap::new(),
            unanswered: Vec::new(),
            waiting_on: Vec::new(),
            error: None,
            events: 1,
        })
    }

    /// How long it worked, in milliseconds. `None` before its end.
    pub fn worked_ms(&self) -> Option<u64> {
        Some(self.ended_at?.saturating_sub(self.started_at).saturating_sub(self.idle_ms))
    }

    /// How many model calls were answered.
    pub fn calls(&self) -> u64 {
        self.spent.values().flat_map(BTreeMap::values).map(|spent| spent.calls).sum()
    }

    /// Takes out the latest unanswered call of this kind.
    fn take_unanswered(&mut self, is_it: impl Fn(&UnansweredCall) -> bool) -> Option<UnansweredCall> {
        let at = self.unanswered.iter().rposition(is_it)?;
        Some(self.unanswered.remove(at))
    }

    /// Takes in the next event. Says whether it is one that a list should show at once (a pause, an answer, an end);
    /// counters alone may wait.
    pub fn apply(&mut self, entry: &Entry) -> bool {
        self.events += 1;
        self.idle_ms +=
            if self.is_idle() { entry.at.saturating_sub(self.updated_at) } else { entry.interrupted_ms };
        self.updated_at = entry.at;
        match &entry.event {
            Event::Node(_, NodeEvent::Finished { .. }) => self.counters.done += 1,
            Event::Node(_, NodeEvent::Skipped { .. }) => self.counters.skipped += 1,
            Event::Node(_, NodeEvent::Failed { .. }) => self.counters.failed += 1,
            Event::Call(at, CallEvent::QuotaReserved { step, attempt, amount, sampling, .. }) => {
                let call = UnansweredCall {
                    at: at.clone(),
                    attempt: *attempt,
                    step: *step,
                    sampling: sampling.clone(),
                    sent_at: entry.at,
                    amount: *amount,
                };
                // The same call again, after a crash: the one before it stays charged.
                if let Some(before) = self.take_unanswered(|sent| sent.is_same(&call)) {
                    *self.unreported.entry(before.sent_at / QUARTER_MS).or_default() += before.amount;
                }
                self.unanswered.push(call);
            }
            Event::Call(at, CallEvent::ModelReplied { step, sampling, account, .. }) => {
                self.take_unanswered(|sent| {
                    sent.at == *at && sent.step == *step && sent.sampling == *sampling
                });
                let Some(spending) = Spending::of(&entry.event) else { return false };
                self.tokens += spending.tokens;
                self.cost += spending.cost;
                let model =
                    account.as_ref().map(|account| ModelOverrides::key(&account.provider, &account.model));
                let quarter = self.spent.entry(entry.at / QUARTER_MS).or_default();
                *quarter.entry(model.unwrap_or_default()).or_default() += spending;
            }
            Event::Call(_, CallEvent::ModelFailed { model, .. }) => {
                let Some(spending) = Spending::of(&entry.event) else { return false };
                self.cost += spending.cost;
                let quarter = self.spent.entry(entry.at / QUARTER_MS).or_default();
                *quarter.entry(model.clone()).or_default() += spending;
            }
            Event::Call(
                at,
                CallEvent::QuotaReconciled { step, attempt, amount, estimated, sampling, .. },
            ) => {
                self.take_unanswered(|sent| {
                    (&sent.at, sent.attempt, sent.step, &sent.sampling) == (at, *attempt, *step, sampling)
                });
                if *estimated {
                    *self.unreported.entry(entry.at / QUARTER_MS).or_default() += *amount;
                }
            }
            Event::Node(activation, NodeEvent::Paused { prompt, schema, tool, .. }) => {
                self.close(activation);
                self.waiting_on.push(pause(activation, (prompt, schema, tool.as_ref()), entry.at, None));
                return true;
            }
            Event::Child(activation, ChildEvent::Waiting { questions, .. }) => {
                self.close(activation);
                self.waiting_on.extend(questions.iter().map(|asked| {
                    let ChildQuestion { run, node, epoch, prompt, schema, tool } = asked;
                    let asker = Asker { run: run.clone(), node: node.clone(), epoch: epoch.clone() };
                    pause(activation, (prompt, schema, tool.as_ref()), entry.at, Some(asker))
                }));
                return true;
            }
            // Before a crash, its child run had started already.
            Event::Node(activation, NodeEvent::Started { .. }) if !self.waiting_on.is_empty() => {
                self.close(activation);
                self.set_open(RunStatus::Running);
            }
            Event::Node(activation, NodeEvent::Answered { .. })
            | Event::Child(activation, ChildEvent::Resumed { .. }) => {
                self.close(activation);
                self.set_open(RunStatus::Running);
                return true;
            }
            Event::Run(RunEvent::Waiting { .. }) => {
                self.set_open(RunStatus::Waiting);
                return true;
            }
            Event::Debug(event @ (DebugEvent::Stopped { .. } | DebugEvent::Continued { .. })) => {
                self.note_stop(event, entry);
                return true;
            }
            Event::Run(RunEvent::Finished { .. }) => return self.end(RunStatus::Finished, entry.at),
            Event::Run(RunEvent::Failed { error, .. }) => {
                self.error = Some(Fault::clone(error));
                return self.end(RunStatus::Failed, entry.at);
            }
            Event::Run(RunEvent::Canceled { .. }) => return self.end(RunStatus::Cancelled, entry.at),
            _ => {}
        }
        false
    }

    /// Whether only a person makes it go on. While a debugger holds only branches, the others go on.
    fn is_idle(&self) -> bool {
        let waits = *self.held.as_ref().unwrap_or(&self.status) == RunStatus::Waiting;
        waits || self.stops.iter().any(|stop| stop.scope.is_tree())
    }

    fn note_stop(&mut self, event: &DebugEvent, entry: &Entry) {
        apply_to_stops(&mut self.stops, event, entry.seq.unwrap_or_default(), entry.at);
        if let Some(stop) = self.stops.last_mut() {
            (stop.values, stop.ways, stop.error) = Default::default();
        }
        if self.stops.is_empty() {
            self.status = self.held.take().unwrap_or(self.status);
        } else if self.held.is_none() {
            self.held = Some(std::mem::replace(&mut self.status, RunStatus::Stopped));
        }
    }

    fn close(&mut self, activation: &Activation) {
        self.waiting_on.retain(|open| open.node != activation.node || open.epoch != activation.epoch);
    }

    /// What a run does that has not ended, unless a debugger holds it.
    fn set_open(&mut self, status: RunStatus) {
        *self.held.as_mut().unwrap_or(&mut self.status) = status;
    }

    fn end(&mut self, status: RunStatus, at: u64) -> bool {
        self.held = None;
        self.stops.clear();
        self.status = status;
        self.ended_at = Some(at);
        self.waiting_on.clear();
        true
    }
}

fn pause(
    activation: &Activation,
    (prompt, schema, tool): (&str, &Value, Option<&ToolPause>),
    at: u64,
    asker: Option<Asker>,
) -> OpenPause {
    let Activation { node, epoch } = activation.clone();
    let (prompt, schema, tool) = (prompt.to_owned(), schema.clone(), tool.cloned());
    OpenPause { node, epoch, prompt, schema, tool, asked_at: at, asker }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(value: &u64) -> bool {
    *value == 0
}

#[cfg(test)]
mod tests;
