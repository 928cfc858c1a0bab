//! Making one tool call: its time limit, its attempts, and what it says on the way.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{Either, select};
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;

use super::Outcome;
use super::questions::CallHistory;
use super::requests::{CallRequests, RecordedAnswer, SamplingJob};
use super::sampling::Sampler;
use crate::codes;
use crate::model_call::Interruption;
use plait_core::error::Fault;
use plait_core::origin::Origin;
use plait_journal::{CallEvent, MAX_NESTING_DEPTH, is_too_deep};
use plait_llm::context::ToolCall;
use plait_llm::grant::CallGrants;
use plait_llm::long_term_memory::MemorySource;
use plait_llm::quota::is_limit_of_tree;
use plait_llm::tool::{
    CallSite, OriginSink, SamplingRef, ToolContext, ToolEffect, ToolInvocation, ToolProgress, ToolRequests,
    ToolSpec,
};
use plait_run::node::NodeContext;

/// The time limit of a call, if the flow sets none.
const DEFAULT_TIMEOUT_MS: u64 = 60_000;
/// The delay before a second attempt. It doubles with each further one.
const FIRST_RETRY_DELAY_MS: u64 = 500;
const MAX_RETRY_DELAY_MS: u64 = 30_000;
/// Maximum size of a result, as JSON. It is far more than a model can read.
const MAX_RESULT_BYTES: usize = 4 << 20;

/// A call to make.
pub(super) struct Invocation<'a> {
    pub(super) node_context: &'a NodeContext,
    pub(super) sampler: &'a Sampler<'a>,
    pub(super) tool: &'a ToolSpec,
    pub(super) context: Arc<ToolContext>,
    /// Whether the person was asked about the call and approved it.
    pub(super) approved: bool,
    pub(super) step: u32,
    pub(super) call: &'a ToolCall,
}

impl Invocation<'_> {
    /// Makes the call; `origins` receives where what comes back comes from. Attempts that fail for a passing reason are repeated, if the flow allows it.
    pub(super) async fn run(
        self,
        history: CallHistory,
        origins: &OriginSink,
    ) -> Result<Outcome, Interruption> {
        if let Some(server) = self.tool.mcp_server() {
            origins.add(Origin::McpServer(server.to_owned()));
        }
        let answers: Arc<[RecordedAnswer]> = history.into_answers().into();
        let tool = Arc::new(self.tool.clone());
        let site = Arc::new(self.site());
        let attempts = tool.policy.attempts.unwrap_or(1).max(1);
        let mut attempt = 1;
        loop {
            let model = self.sampler.model().cloned();
            let (requests, jobs) = CallRequests::new(self.step, self.call, Arc::clone(&answers), model);
            let requests = Arc::new(requests);
            let invocation = ToolInvocation {
                tool: Arc::clone(&tool),
                arguments: self.call.arguments.clone(),
                folder: self.node_context.run.info.folder.clone(),
                folders: Arc::clone(&self.node_context.run.folders),
                context: Arc::clone(&self.context),
                grants: CallGrants::new(self.node_context.run.info.grants.clone()).approved(self.approved),
                site: Arc::clone(&site),
                memories: Arc::clone(&self.node_context.host.memories),
                progress: self.progress(),
                requests: Arc::clone(&requests) as Arc<dyn ToolRequests>,
                origins: origins.clone(),
            };
            let outcome = self.attempt(invocation, jobs, origins).await?;
            if let Some(question) = requests.take_open() {
                return Err(Interruption::Asks(Box::new(question)));
            }
            match outcome {
                Err(fault) if fault.retryable && attempt < attempts => {
                    let delay_ms = FIRST_RETRY_DELAY_MS.saturating_mul(1 << (attempt - 1).min(16));
                    let delay_ms = fault.retry_after_ms.unwrap_or_default().max(delay_ms);
                    let delay = Duration::from_millis(delay_ms.min(MAX_RETRY_DELAY_MS));
                    self.node_context.host.clock.sleep(delay).await;
                    attempt += 1;
                }
                outcome => return Ok(outcome.and_then(check_result)),
            }
        }
    }

    fn site(&self) -> CallSite {
        let (activation, run) = (&self.node_context.activation, &self.node_context.run.info);
        CallSite {
            user: run.user.clone(),
            source: MemorySource {
                flow: Some(run.flow_name.clone()),
                run: Some(run.run.clone()),
                node: Some(activation.node.clone()),
            },
            origins: self.node_context.origins(),
            // As JSON, so that different parts never produce the same text.
            key: json!([run.run, activation.node, activation.epoch, self.step, self.call.id]).to_string(),
        }
    }

    /// Makes the call once, and the replies that its tool requests. Its time does not run while a model replies, and
    /// restarts after that.
    async fn attempt(
        &self,
        invocation: ToolInvocation,
        mut jobs: UnboundedReceiver<SamplingJob>,
        origins: &OriginSink,
    ) -> Result<Outcome, Interruption> {
        let host = &self.node_context.host;
        let limit = self.tool.policy.timeout_ms.unwrap_or(DEFAULT_TIMEOUT_MS);
        let mut call = host.tools.call(invocation);
        loop {
            let deadline = host.clock.sleep(Duration::from_millis(limit));
            let request = pin!(jobs.recv());
            let job = match select(select(&mut call, request), deadline).await {
                Either::Left((Either::Left((outcome, _)), _)) => return Ok(outcome),
                Either::Left((Either::Right((job, _)), _)) => job,
                Either::Right(_) => return Ok(Err(timed_out(self.tool, limit))),
            };
            let Some(SamplingJob { index, request, reply: sender }) = job else {
                // Nobody is left who could request a reply.
                return Ok(call.await);
            };
            let sampling = SamplingRef { call_id: self.call.id.clone(), index };
            let reply = self.sampler.reply(self.step, sampling, &request, origins);
            match select(&mut call, pin!(reply)).await {
                // It did not wait for the reply.
                Either::Left((outcome, _)) => return Ok(outcome),
                // Nothing in the flow handles this.
                Either::Right((Err(fault), _)) if is_limit_of_tree(&fault.code) => return Err(fault.into()),
                Either::Right((reply, _)) => {
                    // The tool may have given up.
                    let _ = sender.send(reply.map_err(|fault| self.end_call(fault)));
                }
            }
        }
    }

    /// The fault of a reply as that of the call. What the tool has changed is not changed again because a model was busy.
    fn end_call(&self, fault: Fault) -> Fault {
        Fault { retryable: fault.retryable && self.tool.effect != ToolEffect::Write, ..fault }
    }

    /// Shows watchers how far the call has come.
    fn progress(&self) -> Arc<dyn Fn(ToolProgress) + Send + Sync> {
        let (node_context, step, call_id) = (self.node_context.clone(), self.step, self.call.id.clone());
        Arc::new(move |progress| {
            let call_id = call_id.clone();
            node_context.show(CallEvent::ToolProgressed { step, call_id, progress });
        })
    }
}

fn timed_out(tool: &ToolSpec, limit_ms: u64) -> Fault {
    let fault = Fault::new(codes::TOOL_TIMEOUT, format!("`{}` took longer than {limit_ms} ms.", tool.name))
        .hint("Raise the tool's `timeoutMs`, or ask for less at once.");
    // What it changes may have been changed.
    if tool.effect == ToolEffect::Write { fault } else { fault.retryable() }
}

/// Refuses a result that a journal could not hold.
fn check_result(result: Value) -> Outcome {
    if is_too_deep(&result) {
        let message = format!(
            "The result nests lists and objects deeper than {MAX_NESTING_DEPTH} levels; request less of it."
        );
        return Err(Fault::new(codes::TOOL_TOO_DEEP, message));
    }
    let mut size = ByteCounter(0);
    // Counting never fails; writing stops where the limit is exceeded.
    if serde_json::to_writer(&mut size, &result).is_err() {
        let limit = MAX_RESULT_BYTES >> 20;
        let message = format!("The result is larger than the limit of {limit} MB; request less of it.");
        return Err(Fault::new(codes::TOOL_TOO_LARGE, message));
    }
    Ok(result)
}

/// Counts bytes up to [`MAX_RESULT_BYTES`].
struct ByteCounter(usize);

impl std::io::Write for ByteCounter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        if self.0 > MAX_RESULT_BYTES { Err(std::io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
