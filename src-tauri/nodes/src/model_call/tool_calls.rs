//! The tools of a turn: collecting them from the inputs, and running the calls of a model's reply.
//!
//! All calls of a reply run at the same time; their results keep the order of the calls. A failing tool does not end the
//! turn: the model gets the error and may do something else. Questions to the person come before the first call is made.
//!
//! A person may be asked whether a call may be made, whether an interrupted call may be made again, what a tool itself asks, and
//! whether a model may reply to a tool. Each question is a `run.paused` that names the call. It ends the execution of the node and
//! discards the turn, so that nobody waits for its context. With the answer the node executes again and takes everything else from
//! the journal. A call that sends or writes asks if its arguments come from others ([`crate::origin`]).

mod call_text;
mod grants;
mod invoke;
mod questions;
mod requests;
mod sampling;

use std::collections::HashSet;
use std::sync::Arc;

use futures::future::join_all;
use serde_json::{Value, json};

use super::finish_tool::{self, FINISH};
use super::{Interruption, MemoryAccess, is_engine_tool};
use crate::codes;
pub(super) use grants::allow_documents;
pub(crate) use grants::allow_server;
use grants::judge_call;
use invoke::Invocation;
use plait_core::attachment;
use plait_core::attachment::{Attachment, AttachmentKind};
use plait_core::error::Fault;
use plait_core::expression::as_text;
use plait_core::expression::schema::find_violations;
use plait_core::hash::content_hash;
use plait_core::origin::Origins;
use plait_journal::earlier_run::Sought;
use plait_journal::world_policy::Misses;
use plait_journal::{CallEvent, EventRef};
use plait_llm::context::ToolCall;
use plait_llm::grant::GrantPattern;
use plait_llm::tool::{OriginSink, ToolContext, ToolEffect, ToolResult, ToolSpec};
use plait_run::node::{Inputs, NodeContext, Pause, ToolRound};
use questions::CallHistory;
pub(super) use questions::{ask_to_exceed, may_not_exceed};
use sampling::Sampler;
pub(crate) use sampling::{SamplingModel, SamplingUsage};

/// The tools on the `tools` input, each once.
pub(crate) fn collect_tools(inputs: &Inputs) -> Result<Vec<ToolSpec>, Fault> {
    let mut tools: Vec<ToolSpec> = Vec::new();
    for datum in inputs.all("tools") {
        let bundle: Vec<ToolSpec> = serde::Deserialize::deserialize(&*datum.value).map_err(|error| {
            Fault::new(codes::INPUT_TYPE, format!("The value on `tools` is not a list of tools: {error}."))
        })?;
        for tool in bundle {
            match tools.iter().find(|known| known.name == tool.name) {
                None => tools.push(tool),
                Some(known) if *known == tool => {}
                Some(_) => {
                    let message = format!("Two different tools are called `{}`.", tool.name);
                    return Err(Fault::new(codes::TOOLS_DUPLICATE, message)
                        .hint("Connect only one of them to this node."));
                }
            }
        }
    }
    Ok(tools)
}

/// Calls one tool on behalf of a node that is no model: with the same checks, questions, limits and events.
pub(crate) async fn call_tool(
    node_context: &NodeContext,
    tool: ToolSpec,
    arguments: Value,
) -> Result<Value, Interruption> {
    let (result, _) = call_tool_with_model(node_context, tool, arguments, None).await?;
    Ok(result)
}

/// The same; `model` replies if the tool requests that. Returns what the replies have used as well.
pub(crate) async fn call_tool_with_model(
    node_context: &NodeContext,
    tool: ToolSpec,
    arguments: Value,
    model: Option<SamplingModel>,
) -> Result<(Value, SamplingUsage), Interruption> {
    let call = ToolCall { id: "call".to_owned(), name: tool.name.clone(), arguments };
    let may_repeat = tool.effect != ToolEffect::Write;
    let tools = [tool];
    let caller = ToolCaller::new(node_context, &tools, model);
    // In a fork nothing decides that this call is the same as before but its arguments.
    let mut results = caller.run_all(0, &[call], true).await?;
    let outcome = results.pop().map_or(Ok(Value::Null), |result| result.outcome);
    // What a call may have changed is not changed again by another attempt of the node.
    let result = outcome.map_err(|fault| Fault { retryable: fault.retryable && may_repeat, ..fault })?;
    Ok((result, caller.sampler.usage()))
}

/// What a call led to: a result, or an error that the model receives.
type Outcome = Result<Value, Fault>;

/// What a model receives of a call.
pub(super) struct CallText {
    /// The result, or the error.
    pub(super) text: String,
    /// Whether the call failed.
    pub(super) is_error: bool,
    /// The images in the result.
    pub(super) images: Vec<Attachment>,
    /// Where it comes from.
    pub(super) origins: Origins,
}

/// The images that a result is or lists.
fn images_in(result: &Value) -> Vec<Attachment> {
    let items = result.as_array().map_or(std::slice::from_ref(result), Vec::as_slice);
    let attachments = items.iter().filter_map(|item| attachment::attachments_of(item).ok()).flatten();
    attachments.filter(|attachment| attachment.kind() == AttachmentKind::Image).collect()
}

/// Runs the tool calls of a turn.
pub(super) struct ToolCaller<'a> {
    node_context: &'a NodeContext,
    tools: &'a [ToolSpec],
    /// The workflow's memory, if the node reads it, and the model to count tokens for.
    memory: Option<(&'a MemoryAccess<'a>, String)>,
    /// Makes the replies that tools request.
    sampler: Sampler<'a>,
    /// The call ids used so far.
    ids: HashSet<String>,
}

/// What happens to a call.
enum NextStep<'a> {
    /// Nothing: the journal has its outcome.
    Settled(ToolResult),
    /// It takes the outcome that an earlier run has recorded.
    Reuse(ToolResult, EventRef),
    /// It is not made.
    Refuse(Fault),
    /// The engine has answered it.
    Answer(ToolResult),
    /// It is made, and may know this of the conversation.
    Call {
        tool: &'a ToolSpec,
        history: CallHistory,
        context: Arc<ToolContext>,
        approved: bool,
        /// Where its arguments come from that others write to, if it sends or changes something.
        untrusted: Origins,
        /// The rules that allow it.
        granted: Vec<GrantPattern>,
    },
}

impl<'a> ToolCaller<'a> {
    /// Calls these tools; `model` replies to their requests.
    pub(super) fn new(
        node_context: &'a NodeContext,
        tools: &'a [ToolSpec],
        model: Option<SamplingModel>,
    ) -> Self {
        let sampler = Sampler::new(node_context, model);
        Self { node_context, tools, memory: None, sampler, ids: HashSet::new() }
    }

    /// Lets the tools know the workflow's memory.
    pub(super) fn set_memory(&mut self, memory: &'a MemoryAccess<'a>, model: &str) {
        self.memory = Some((memory, model.to_owned()));
    }

    /// How many calls there were so far.
    pub(super) fn count(&self) -> usize {
        self.ids.len()
    }

    /// What the replies that tools requested have used.
    pub(super) fn sampling_usage(&self) -> SamplingUsage {
        self.sampler.usage()
    }

    /// The calls of a reply, each with an id that is unique in the turn: some models send none, or the same one twice.
    pub(super) fn assign_ids(&mut self, calls: &[ToolCall], step: u32) -> Vec<ToolCall> {
        let numbered = calls.iter().enumerate().map(|(index, call)| {
            let mut call = call.clone();
            if call.id.is_empty() || !self.ids.insert(call.id.clone()) {
                call.id = format!("call_{step}_{index}");
                // The model may have used this id itself.
                while !self.ids.insert(call.id.clone()) {
                    call.id.push('_');
                }
            }
            call
        });
        numbered.collect()
    }

    /// The results of the calls of a reply, in their order, as texts for the model, each with where it comes from.
    pub(super) async fn run(
        &self,
        step: u32,
        calls: &[ToolCall],
        reply_is_reused: bool,
    ) -> Result<Vec<CallText>, Interruption> {
        let arguments = self.node_context.origins();
        let results = self.run_all(step, calls, reply_is_reused).await?;
        let texts = results.into_iter().map(|ToolResult { outcome, mut origins }| {
            origins.add(&arguments);
            let is_error = outcome.is_err();
            let (text, images) = match outcome {
                Ok(result) => (as_text(&result), images_in(&result)),
                Err(fault) => (json!({ "error": fault.message, "code": fault.code }).to_string(), Vec::new()),
            };
            CallText { text, is_error, images, origins }
        });
        Ok(texts.collect())
    }

    /// The results of the calls, in their order. If the reply that requests them was bought by an earlier run, so were the
    /// results: what a tool did is not done again.
    async fn run_all(
        &self,
        step: u32,
        calls: &[ToolCall],
        reply_is_reused: bool,
    ) -> Result<Vec<ToolResult>, Interruption> {
        let mut next = Vec::with_capacity(calls.len());
        let context = Arc::new(self.tool_context());
        for call in calls {
            next.push(self.decide(step, call, reply_is_reused, &context)?);
        }
        let mut made = Vec::new();
        let mut round = ToolRound::default();
        for (call, next) in calls.iter().zip(&next) {
            if let NextStep::Call { untrusted, granted, .. } = next {
                made.push(call.name.as_str());
                round.sends_untrusted |= !untrusted.is_empty();
                round.granted.extend(granted.iter().cloned());
            }
        }
        if !made.is_empty() {
            // Once for all of them: they are made at the same time.
            let name = || format!("tool round {}: {}", step + 1, made.join(", "));
            self.node_context.may_call_tools(name, round).await?;
        }
        let running = calls.iter().zip(next).map(|(call, next)| self.take_step(step, call, next));
        let mut results = Vec::with_capacity(calls.len());
        let mut question: Option<Box<Pause>> = None;
        // Each call ends, also if another one asks: what it has done is not done again.
        for (call, result) in calls.iter().zip(join_all(running).await) {
            match result {
                Ok(result) => results.push(result),
                Err(Interruption::Failed(fault)) => return Err(fault.into()),
                Err(Interruption::Asks(asked)) => match &mut question {
                    None => question = Some(asked),
                    // One question at a time. This call ended as well, and is made again.
                    Some(first) => {
                        first.tool.iter_mut().for_each(|tool| tool.also_asking.push(call.id.clone()));
                    }
                },
            }
        }
        // Only now: the calls of a reply do not depend on one another.
        for result in &results {
            self.node_context.add_origins(&result.origins);
        }
        question.map_or(Ok(results), |question| Err(Interruption::Asks(question)))
    }

    /// The decision about a call. An interruption if a person has to be asked first.
    fn decide(
        &self,
        step: u32,
        call: &ToolCall,
        reply_is_reused: bool,
        context: &Arc<ToolContext>,
    ) -> Result<NextStep<'a>, Interruption> {
        let is_engine_tool = self.tools.iter().any(|tool| tool.name == call.name && is_engine_tool(tool));
        if let Some(result) = self.recorded_result(step, &call.id) {
            if is_engine_tool && result.outcome.is_ok() {
                // What it added to the memory is added again: a node that starts again starts without its changes.
                let _ = self.answer(call);
            }
            return Ok(NextStep::Settled(result));
        }
        // The engine's answers cost nothing and depend on the run alone.
        let earlier = self.node_context.earlier().filter(|_| reply_is_reused && !is_engine_tool);
        let activation = &self.node_context.activation;
        let binding = self.binding(call);
        let binding = binding.as_deref();
        if let Some((result, event)) =
            earlier.and_then(|run| run.tool_result(activation, step, call, binding))
        {
            return Ok(NextStep::Reuse(result, event));
        }
        let tool = match self.find_tool(call) {
            Ok(tool) => tool,
            Err(fault) => return Ok(NextStep::Refuse(fault)),
        };
        let is_missed = !is_engine_tool && self.is_missed(call)?;
        let history = CallHistory::read(&self.node_context.recorded, step, &call.id);
        let was_interrupted = history.was_interrupted
            || earlier.is_some_and(|run| run.was_interrupted(activation, step, call, binding));
        if was_interrupted && tool.effect == ToolEffect::Write && !history.may_repeat()? {
            return Err(questions::ask_to_repeat(step, tool, call));
        }
        if history.is_repeat_refused() {
            return Ok(NextStep::Refuse(questions::not_repeated(&call.name)));
        }
        let judged = match judge_call(self.node_context, tool, &call.arguments) {
            Ok(judged) => judged,
            Err(fault) => return Ok(NextStep::Refuse(fault)),
        };
        let from_others = self.untrusted_arguments(tool);
        let untrusted = if judged.allows_untrusted { Origins::NONE } else { from_others.clone() };
        let needs_approval =
            tool.policy.approval || is_missed || !judged.asks.is_empty() || !untrusted.is_empty();
        if needs_approval {
            match history.approval()? {
                None => {
                    let reasons = questions::Reasons { targets: &judged.asks, untrusted, is_missed };
                    return Err(questions::ask_for_approval(step, (tool, call), reasons));
                }
                Some(questions::Decision { approved: true, .. }) => {}
                Some(questions::Decision { comment, .. }) => {
                    return Ok(NextStep::Refuse(questions::rejected(&call.name, comment.as_deref())));
                }
            }
        }
        if is_engine_tool {
            return Ok(NextStep::Answer(self.answer(call)));
        }
        // All calls so far have the approval that they need.
        let approved = needs_approval;
        let (context, granted) = (Arc::clone(context), judged.granted);
        Ok(NextStep::Call { tool, history, context, approved, untrusted: from_others, granted })
    }

    /// Whether a person is asked about a call since the run that this one is forked from did not make it. `run.not_recorded` if it may
    /// not be made at all.
    fn is_missed(&self, call: &ToolCall) -> Result<bool, Fault> {
        let Some(run) = self.node_context.earlier() else { return Ok(false) };
        let (activation, name) = (&self.node_context.activation, call.name.as_str());
        run.refuse_miss(activation, Some(name), || format!("A call of `{name}` with these arguments"))
            .map_err(|fault| run.explain_miss(fault, activation, Sought::Result(call)))?;
        Ok(run.misses(activation, Some(name)) == Misses::Ask)
    }

    /// The places that others write to which the arguments of a call come from, or the context that it takes along, if the call
    /// sends them somewhere or changes something.
    fn untrusted_arguments(&self, tool: &ToolSpec) -> Origins {
        if tool.effect == ToolEffect::Read {
            return Origins::NONE;
        }
        let mut origins = self.node_context.origins();
        if self.memory.is_some() && tool.sends_context() {
            origins.add(&self.node_context.memory().origins());
        }
        origins.untrusted()
    }

    /// The engine's answer to a call. The calls of a reply are answered in their order.
    fn answer(&self, call: &ToolCall) -> ToolResult {
        if call.name == FINISH {
            return ToolResult::own(finish_tool::answer(&call.arguments, self.node_context));
        }
        match &self.memory {
            Some((memory, model)) => {
                let origins = self.node_context.memory().origins();
                ToolResult { outcome: memory.answer(&call.arguments, model), origins }
            }
            None => ToolResult::own(Err(Fault::new(
                codes::MEMORY_OFF,
                "This node has no access to the workflow's memory.",
            )
            .hint("Set the node's `memory.mode` to `read` or `readWrite`."))),
        }
    }

    /// What a tool may know of the conversation before the calls of a reply.
    fn tool_context(&self) -> ToolContext {
        match &self.memory {
            Some((memory, _)) => memory.tool_context(),
            None => ToolContext {
                round: self.node_context.iteration().unwrap_or_default(),
                ..ToolContext::default()
            },
        }
    }

    async fn take_step(
        &self,
        step: u32,
        call: &ToolCall,
        next: NextStep<'a>,
    ) -> Result<ToolResult, Interruption> {
        let called_with = |untrusted: Origins, granted: Vec<GrantPattern>| CallEvent::ToolCalled {
            step,
            call: call.clone(),
            binding: self.binding(call),
            untrusted,
            granted,
        };
        let called = || called_with(Origins::NONE, Vec::new());
        let (result, reused) = match next {
            NextStep::Settled(result) => return Ok(result),
            NextStep::Reuse(result, event) => {
                self.node_context.note(called());
                (result, Some(event))
            }
            NextStep::Refuse(fault) => {
                self.node_context.note(called());
                (ToolResult::own(Err(fault)), None)
            }
            NextStep::Answer(result) => {
                self.node_context.note(called());
                (result, None)
            }
            NextStep::Call { tool, history, context, approved, untrusted, granted } => {
                let called = called_with(untrusted, granted);
                if tool.effect == ToolEffect::Write {
                    // Before it is made: after a crash nobody knows whether it was.
                    self.node_context.record(called).await?;
                } else {
                    self.node_context.note(called);
                }
                let (node_context, sampler) = (self.node_context, &self.sampler);
                let invocation = Invocation { node_context, sampler, tool, context, approved, step, call };
                let origins = OriginSink::default();
                let outcome = invocation.run(history, &origins).await?;
                (ToolResult { outcome, origins: origins.take() }, None)
            }
        };
        let event = CallEvent::ToolFinished {
            step,
            call_id: call.id.clone(),
            result: result.outcome.as_ref().ok().cloned(),
            error: result.outcome.as_ref().err().cloned().map(Box::new),
            origins: result.origins.clone(),
            reused,
        };
        self.node_context.record(event).await?;
        Ok(result)
    }

    /// The hash of what the host of the called tool knows besides the arguments, if it knows anything.
    fn binding(&self, call: &ToolCall) -> Option<String> {
        let tool = self.tools.iter().find(|tool| tool.name == call.name)?;
        (!tool.binding.is_null()).then(|| content_hash(tool.binding.to_string().as_bytes()))
    }

    /// The tool of a call with arguments that match its schema.
    fn find_tool(&self, call: &ToolCall) -> Result<&'a ToolSpec, Fault> {
        let Some(tool) = self.tools.iter().find(|tool| tool.name == call.name) else {
            let names: Vec<_> = self.tools.iter().map(|tool| tool.name.as_str()).collect();
            let message = format!("There is no tool `{}`; there are: {}.", call.name, names.join(", "));
            return Err(Fault::new(codes::TOOL_NOT_OFFERED, message));
        };
        let violations = find_violations(&tool.parameters, &call.arguments).map_err(|problem| {
            let message = format!("The schema of the arguments of `{}` can't be used: {problem}", tool.name);
            Fault::new(codes::TOOL_BAD_SCHEMA, message)
                .hint("Correct the schema where the tool is declared, or do not offer the tool.")
        })?;
        if violations.is_empty() {
            return Ok(tool);
        }
        let message = format!("The arguments of `{}` are invalid: {}.", tool.name, violations.join("; "));
        Err(Fault::new(codes::TOOL_BAD_ARGUMENTS, message)
            .hint("Call the tool again with arguments that match its schema."))
    }

    fn recorded_result(&self, wanted_step: u32, id: &str) -> Option<ToolResult> {
        self.node_context.find_recorded(|call| match call {
            CallEvent::ToolFinished { step, call_id, result, error, origins, .. }
                if *step == wanted_step && call_id == id =>
            {
                Some(ToolResult::recorded(result.as_ref(), error.as_deref(), origins))
            }
            _ => None,
        })
    }
}
