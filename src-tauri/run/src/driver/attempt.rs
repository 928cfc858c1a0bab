//! One try of one activation: running the node with a deadline, and judging what came of it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, Either, FutureExt, select};
use parking_lot::Mutex;
use serde_json::Value;

use super::{Driver, Start};
use crate::codes;
use crate::debugger::BranchHold;
use crate::host::{Host, sleep_unless_held};
use crate::node::{NodeContext, NodeOutput, Pause};
use crate::plan::{NodeIx, Plan, PlanNode};
use plait_core::error::Fault;
use plait_core::expression::as_text;
use plait_core::flow::RetryPolicy;
use plait_core::id::{Activation, Epoch, NodeId};
use plait_core::origin::Origins;
use plait_core::port::ERROR_PORT;
use plait_journal::{Event, FinishMetadata, MAX_NESTING_DEPTH, NodeEvent, is_too_deep};
use plait_llm::context::{Transaction, Writes};
use plait_llm::memory::WorkflowMemory;

/// A try that was begun.
pub(super) enum Begun<'p> {
    /// It took no waiting. Boxed, since it is handed on several times.
    Done(Box<Done>),
    /// The rest of it.
    Waiting(BoxFuture<'p, Done>),
}

/// Which try of which activation.
#[derive(Clone)]
pub(super) struct Attempt {
    pub node: NodeIx,
    pub epoch: Epoch,
    /// From 1.
    pub number: u32,
}

impl From<&Start> for Attempt {
    fn from(start: &Start) -> Self {
        Self { node: start.node, epoch: start.epoch.clone(), number: start.attempt }
    }
}

/// What came of a try.
pub(super) struct Done {
    pub attempt: Attempt,
    pub outcome: Outcome,
    /// Where what it brought in comes from.
    pub origins: Origins,
    /// Whether it only let time pass and held no place meanwhile.
    pub was_sleeping: bool,
}

impl Done {
    /// Of a try that was stopped.
    pub fn stopped(node: NodeIx, epoch: Epoch, was_sleeping: bool) -> Self {
        let attempt = Attempt { node, epoch, number: 1 };
        Self { attempt, outcome: Outcome::Stopped, origins: Origins::NONE, was_sleeping }
    }
}

#[allow(
    clippy::large_enum_variant,
    reason = "it is taken apart where it is made; a box would cost every node one"
)]
pub(super) enum Outcome {
    Finished {
        output: NodeOutput,
        written: Writes,
        duration_ms: u64,
    },
    Paused(Box<Pause>),
    Retrying {
        delay_ms: u64,
        error: Fault,
    },
    /// The wait before another try is over.
    RetryDue,
    /// The loop around it ended, or its iteration.
    Stopped,
    Failed(Fault),
}

/// Begins one try, of which the journal says that it began at `began_ms`. Most nodes never wait; they cost nothing more than their own
/// future.
pub(super) fn begin<'p>(
    node: &'p PlanNode,
    start: Start,
    mut cx: NodeContext,
    host: &Arc<Host>,
    began_ms: u64,
) -> Begun<'p> {
    // With the config that a person tries, if this is an attempt with it.
    cx.calls_outside = node.node.behavior().calls_outside();
    let hold = cx.hold.clone();
    let trial =
        Trial { node, attempt: Attempt::from(&start), transaction: Arc::clone(&cx.transaction), began_ms };
    let mut execution = match catch_unwind(AssertUnwindSafe(|| node.node.execute(start.inputs, cx))) {
        Ok(execution) => AssertUnwindSafe(execution).catch_unwind(),
        Err(panic) => return Begun::Done(trial.end(Err(panic), host)),
    };
    if let Some(result) = (&mut execution).now_or_never() {
        return Begun::Done(trial.end(result, host));
    }
    let host = Arc::clone(host);
    Begun::Waiting(Box::pin(async move {
        let result = match node.timeout_ms {
            None => execution.await,
            Some(limit) => {
                let limit_of = Duration::from_millis(limit);
                let deadline = sleep_unless_held(&host.clock, &host.debugger, limit_of, hold.as_ref());
                match select(execution, deadline).await {
                    Either::Left((result, _)) => result,
                    Either::Right(_) => Ok(Err(timed_out(node, limit))),
                }
            }
        };
        Done { was_sleeping: is_timer(node), ..*trial.end(result, &host) }
    }))
}

/// The same of a node of another plan than that of the run.
pub(super) fn begin_of(
    plan: Arc<Plan>,
    start: Start,
    cx: NodeContext,
    host: Arc<Host>,
    began_ms: u64,
) -> BoxFuture<'static, Done> {
    Box::pin(async move {
        match begin(&plan.nodes[start.node], start, cx, &host, began_ms) {
            Begun::Done(done) => *done,
            Begun::Waiting(rest) => rest.await,
        }
    })
}

/// Whether the node does nothing but let time pass.
pub(super) fn is_timer(node: &PlanNode) -> bool {
    node.node.behavior().is_timer
}

/// A try under way.
struct Trial<'p> {
    node: &'p PlanNode,
    attempt: Attempt,
    transaction: Arc<Mutex<Transaction>>,
    began_ms: u64,
}

impl Trial<'_> {
    fn end(self, result: Result<Result<NodeOutput, Fault>, Box<dyn Any + Send>>, host: &Host) -> Box<Done> {
        let mut result = result.unwrap_or_else(|panic| Err(panicked(panic.as_ref())));
        if let Some(fault) = result.iter().find_map(unreadable) {
            result = Err(fault);
        }
        let mut transaction = self.transaction.lock();
        let origins = transaction.origins().clone();
        let outcome = match result {
            Ok(NodeOutput { pause: Some(pause), .. }) => Outcome::Paused(pause),
            Ok(NodeOutput { pinned: true, outputs, .. })
                if !self.node.handles_error && outputs.contains_key(ERROR_PORT) =>
            {
                Outcome::Failed(pinned_error(&self.node.id, &outputs[ERROR_PORT]))
            }
            Ok(output) => Outcome::Finished {
                output,
                written: transaction.take(),
                duration_ms: host.clock.now_ms().saturating_sub(self.began_ms),
            },
            Err(error) => judge(self.node, self.attempt.number, error, host),
        };
        drop(transaction);
        Box::new(Done { attempt: self.attempt, outcome, origins, was_sleeping: false })
    }
}

/// Why a journal that holds this output could not be read back, if it could not.
fn unreadable(output: &NodeOutput) -> Option<Fault> {
    let (port, _) = output.outputs.iter().find(|(_, value)| is_too_deep(value))?;
    let message =
        format!("The value on `{port}` is nested deeper than {MAX_NESTING_DEPTH} lists and objects.");
    Some(
        Fault::new(codes::NODE_TOO_DEEP, message)
            .hint("Make it flatter; in a cycle, see that it does not grow inwards."),
    )
}

/// The failure that a pin plays where nothing takes it from the output `error`, as the failure of the node itself would be none of
/// its outputs.
fn pinned_error(node: &NodeId, value: &Value) -> Fault {
    serde_json::from_value(value.clone()).unwrap_or_else(|_| {
        let message = format!("The pin of `{node}` is an error: {}", as_text(value));
        Fault::new(codes::PIN_ERROR, message).hint("Unpin it, or connect its output `error`.")
    })
}

/// Waits, and then asks to start again.
pub(super) fn retry_after(attempt: Attempt, delay_ms: u64, host: &Host) -> BoxFuture<'static, Done> {
    let wait = host.clock.sleep(Duration::from_millis(delay_ms));
    Box::pin(wait.map(move |()| Done {
        attempt,
        outcome: Outcome::RetryDue,
        origins: Origins::NONE,
        was_sleeping: true,
    }))
}

/// The event of an activation's success.
pub(super) fn finished(
    activation: Activation,
    output: NodeOutput,
    origins: Origins,
    duration_ms: u64,
) -> Event {
    let metadata = FinishMetadata {
        duration_ms,
        token_usage: output.token_usage,
        cached: output.cached,
        pinned: output.pinned,
        truncated: output.truncated,
        origins,
        extra: output.extra,
    };
    Event::Node(
        activation,
        NodeEvent::Finished { outputs: output.outputs, messages: output.messages, metadata },
    )
}

fn timed_out(node: &PlanNode, limit: u64) -> Fault {
    Fault::new(codes::NODE_TIMEOUT, format!("`{}` took longer than {limit} ms.", node.id))
        .hint("Raise `limits.timeoutMs`, or find out why it takes so long.")
        .retryable()
}

/// The longest wait that a provider may ask for, in milliseconds. A longer one fails the node
/// at once, so that nobody waits without knowing why.
const MAX_RETRY_AFTER_MS: u64 = 10 * 60 * 1000;

/// Whether a failed try is followed by another, and when.
fn judge(node: &PlanNode, attempt: u32, mut error: Fault, host: &Host) -> Outcome {
    if is_too_deep(&error.details) {
        // They come from outside at times, and are not worth a run that can't be opened.
        error.details = Value::Null;
    }
    let policy = node.retry.clone().unwrap_or_default();
    if !error.retryable || attempt >= policy.attempts {
        return Outcome::Failed(error);
    }
    let asked = error.retry_after_ms.unwrap_or_default();
    if asked > MAX_RETRY_AFTER_MS {
        let minutes = asked.div_ceil(60_000);
        let message = format!(" It asked to be left alone for {minutes} minutes, so it was not tried again.");
        error.message.push_str(&message);
        return Outcome::Failed(error);
    }
    let delay_ms = delay(&policy, attempt, host.clock.random()).max(asked);
    Outcome::Retrying { delay_ms, error }
}

/// The wait after the failed try number `attempt`, in milliseconds; `chance` lies in `0.0..1.0`.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn delay(policy: &RetryPolicy, attempt: u32, chance: f64) -> u64 {
    let doubled = policy.backoff_ms.saturating_mul(1_u64.checked_shl(attempt - 1).unwrap_or(u64::MAX));
    let wait = doubled.min(policy.max_backoff_ms) as f64;
    (wait * (1.0 - policy.jitter * chance)) as u64
}

fn panicked(panic: &(dyn Any + Send)) -> Fault {
    let said = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_default();
    Fault::new(codes::NODE_PANICKED, format!("The node broke down: {said}")).hint(
        "This is a mistake in Plait; please report it with the flow. The rest of the run is not affected.",
    )
}

impl Driver {
    /// What an activation is given beside its inputs.
    pub(super) fn cx(&self, start: &Start) -> NodeContext {
        let memory = self.plan.nodes[start.node].contexts.memory;
        let state = self.state.of(&self.plan, start.node, &start.epoch);
        let quotas = self.quotas.of(&self.plan, start.node, &start.epoch, || self.host.clock.now_ms());
        NodeContext {
            activation: self.activation(start.node, &start.epoch),
            scope_depth: self.plan.scopes[self.plan.nodes[start.node].scope].depth,
            attempt: start.attempt,
            run: Arc::clone(&self.run),
            host: quotas
                .map_or_else(|| Arc::clone(&self.host), |quotas| Arc::new(self.host.with_quotas(quotas))),
            calls_outside: false,
            hold: self.plan.nodes[start.node].timeout_ms.map(|_| BranchHold::default()),
            input_origins: start.inputs.origins(),
            answer: start.answer.clone(),
            recorded: self.recorded.get(start.node, &start.epoch),
            memory_mode: memory,
            memory_is_read_later: self.run.info.conversation.is_some()
                || self.plan.is_memory_read_after(start.node),
            conversation: self.conversations.view(&self.plan, start.node, &start.epoch),
            answers: self.conversations.answers(&self.plan, start.node, &start.epoch),
            transaction: Transaction::with_memory(
                match &start.hidden_context {
                    Some(hidden) => state.contexts.without(hidden),
                    None => state.contexts.clone(),
                },
                // For other nodes its content would depend on timing.
                if memory.reads() { state.memory.clone() } else { WorkflowMemory::default() },
            ),
        }
    }
}

#[cfg(test)]
mod tests;
