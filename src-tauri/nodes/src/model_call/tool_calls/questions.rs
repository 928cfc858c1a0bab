//! What a person is asked about a tool call: whether it may be made, and whether it may be made again. A question ends the
//! execution of the node; with the answer it is executed again and finds both in the journal. What a tool itself asks is in
//! [`requests`](super::requests).

use serde::Deserialize as _;
use serde_json::{Value, json};

use super::call_text::{show_arguments, show_destination};
use super::requests::RecordedAnswer;
use crate::codes;
use crate::model_call::Interruption;
use plait_core::error::Fault;
use plait_core::origin::Origins;
use plait_journal::{Answer, CallEvent, Event, NodeEvent};
use plait_llm::context::ToolCall;
use plait_llm::grant::GrantPattern;
use plait_llm::tool::{ToolPause, ToolPauseKind, ToolSpec};
use plait_run::node::{NodeContext, Pause};

/// What the journal says about a call that has no outcome.
#[derive(Debug, Default)]
pub(super) struct CallHistory {
    /// Whether it was made, and nothing is known of what came of it.
    pub(super) was_interrupted: bool,
    answers: Vec<RecordedAnswer>,
}

/// A person's decision about a call.
#[derive(Debug, serde::Deserialize)]
pub(super) struct Decision {
    pub(super) approved: bool,
    pub(super) comment: Option<String>,
}

impl CallHistory {
    /// Reads the events of an activation.
    pub(super) fn read(recorded: &[Event], wanted_step: u32, id: &str) -> Self {
        let mut history = Self::default();
        // The question that the next answer belongs to. An activation asks one at a time.
        let mut open = None;
        for event in recorded {
            match event {
                Event::Call(_, CallEvent::ToolCalled { step, call, .. })
                    if *step == wanted_step && call.id == id =>
                {
                    history.was_interrupted = true;
                    history.answers.retain(|answer| answer.kind != ToolPauseKind::Repeat);
                }
                Event::Node(_, NodeEvent::Paused { prompt, schema, tool, .. }) => {
                    let tool = tool.as_ref().filter(|tool| tool.step == wanted_step);
                    // A tool that asks has ended its call by that, also where another question came first.
                    if tool.is_some_and(|tool| tool.also_asking.iter().any(|other| other == id)) {
                        history.was_interrupted = false;
                    }
                    open = tool.filter(|tool| tool.call_id == id).map(|tool| (tool.kind, prompt, schema));
                }
                Event::Node(_, NodeEvent::Answered { answer: Answer::Value(value), .. }) => {
                    if let Some((kind, prompt, schema)) = open.take() {
                        history.was_interrupted &= !kind.is_of_tool();
                        history.answers.push(RecordedAnswer {
                            kind,
                            prompt: prompt.clone(),
                            schema: schema.clone(),
                            value: Value::clone(value),
                        });
                    }
                }
                _ => {}
            }
        }
        history
    }

    /// Whether the person approved the call. None if nobody was asked.
    pub(super) fn approval(&self) -> Result<Option<Decision>, Fault> {
        self.decision(ToolPauseKind::Approval)
    }

    /// Whether the person was asked whether to make the call again.
    pub(super) fn may_repeat(&self) -> Result<bool, Fault> {
        Ok(self.decision(ToolPauseKind::Repeat)?.is_some())
    }

    /// Whether the person does not want it to be made again.
    pub(super) fn is_repeat_refused(&self) -> bool {
        matches!(self.decision(ToolPauseKind::Repeat), Ok(Some(Decision { approved: false, .. })))
    }

    /// What the person answered to the tool itself, in order.
    pub(super) fn into_answers(self) -> Vec<RecordedAnswer> {
        self.answers.into_iter().filter(|answer| answer.kind.is_of_tool()).collect()
    }

    fn decision(&self, wanted: ToolPauseKind) -> Result<Option<Decision>, Fault> {
        let answer = self.answers.iter().rev().find(|answer| answer.kind == wanted);
        let decision = answer.map(|answer| Decision::deserialize(&answer.value)).transpose();
        decision.map_err(|error| {
            Fault::new(codes::ANSWER_INVALID, format!("The answer is not a decision: {error}."))
        })
    }
}

/// Why a person is asked about a call, if not since its tool always asks.
pub(super) struct Reasons<'a> {
    /// What it uses that has the rule `ask`.
    pub(super) targets: &'a [GrantPattern],
    /// The places of others that its arguments come from.
    pub(super) untrusted: Origins,
    /// Whether the run that this one is forked from did not make it.
    pub(super) is_missed: bool,
}

/// Asks whether a call may be made.
pub(super) fn ask_for_approval(
    step: u32,
    (tool, call): (&ToolSpec, &ToolCall),
    Reasons { targets, untrusted, is_missed }: Reasons<'_>,
) -> Interruption {
    let mut prompt = format!("May **{}** be called?{}", call.name, show_destination(tool, &call.arguments));
    if is_missed {
        prompt.push_str(" The run that is repeated has no result of it.");
    }
    if !targets.is_empty() {
        let targets: Vec<_> = targets.iter().map(|target| format!("`{target}`")).collect();
        prompt.push_str(" You want to be asked about ");
        prompt.push_str(&targets.join(", "));
        prompt.push('.');
    }
    if !untrusted.is_empty() {
        let places: Vec<_> = untrusted.iter().map(|origin| format!("`{origin}`")).collect();
        prompt.push_str(" What it would send or change depends on what others wrote: ");
        prompt.push_str(&places.join(", "));
        prompt.push('.');
    }
    let prompt = format!("{prompt}\n\n{}", show_arguments(call));
    let schema = decision_schema("Whether the call may be made.");
    ask(step, call, (ToolPauseKind::Approval, untrusted), prompt, schema)
}

/// Asks whether the node may use a target that is no tool call.
pub(in crate::model_call) fn ask_about_target(target: &GrantPattern, what: &str) -> Interruption {
    let call = ToolCall { id: target.to_string(), name: target.to_string(), arguments: Value::Null };
    let prompt = format!("The flow wants to {what}.");
    let schema = decision_schema("Whether it may do that.");
    ask(0, &call, (ToolPauseKind::Approval, Origins::NONE), prompt, schema)
}

/// What the person answered to [`ask_about_target`] in this activation: nothing yet, that the node may go on, or the fault
/// `tool.rejected`.
pub(in crate::model_call) fn approval_of(
    node_context: &NodeContext,
    target: &GrantPattern,
) -> Result<Option<Result<(), Fault>>, Fault> {
    let history = CallHistory::read(&node_context.recorded, 0, &target.to_string());
    Ok(history.approval()?.map(|decision| match decision {
        Decision { approved: true, .. } => Ok(()),
        Decision { comment, .. } => Err(rejected(&target.to_string(), comment.as_deref())),
    }))
}

/// Asks whether the model calls of a quota may exceed it. `key` names it in the journal, and `name` to the person.
pub(in crate::model_call) fn ask_to_exceed(
    step: u32,
    key: String,
    name: String,
    prompt: String,
) -> Interruption {
    let call = ToolCall { id: key, name, arguments: Value::Null };
    let schema = decision_schema("Whether more may be used.");
    ask(step, &call, (ToolPauseKind::Quota, Origins::NONE), prompt, schema)
}

/// Whether the person has refused in this step that a quota is exceeded.
pub(in crate::model_call) fn may_not_exceed(
    node_context: &NodeContext,
    step: u32,
    key: &str,
) -> Result<bool, Fault> {
    let decision = CallHistory::read(&node_context.recorded, step, key).decision(ToolPauseKind::Quota)?;
    Ok(decision.is_some_and(|decision| !decision.approved))
}

/// Asks whether a call that was interrupted may be made again.
pub(super) fn ask_to_repeat(step: u32, tool: &ToolSpec, call: &ToolCall) -> Interruption {
    let prompt = format!(
        "The call of **{}** was interrupted. Nobody knows whether it had an effect. Call it again?{}\n\n{}",
        call.name,
        show_destination(tool, &call.arguments),
        show_arguments(call)
    );
    ask(
        step,
        call,
        (ToolPauseKind::Repeat, Origins::NONE),
        prompt,
        decision_schema("Whether to call it again."),
    )
}

/// The model receives this in place of the result of a call that was rejected.
pub(super) fn rejected(tool: &str, comment: Option<&str>) -> Fault {
    let comment = comment.map(str::trim).filter(|comment| !comment.is_empty());
    let comment = comment.map(|comment| format!(" They say: {comment}")).unwrap_or_default();
    Fault::new(codes::TOOL_REJECTED, format!("The person did not allow this call of `{tool}`.{comment}"))
}

/// The model receives this in place of the result of a call that was interrupted and is not made again.
pub(super) fn not_repeated(tool: &str) -> Fault {
    let message = format!("The call of `{tool}` was interrupted. It may or may not have had an effect.");
    Fault::new(codes::TOOL_INTERRUPTED, message)
}

fn ask(
    step: u32,
    call: &ToolCall,
    (kind, untrusted): (ToolPauseKind, Origins),
    prompt: String,
    schema: Value,
) -> Interruption {
    let (call_id, name) = (call.id.clone(), call.name.clone());
    let tool = ToolPause { step, call_id, name, kind, untrusted, also_asking: Vec::new() };
    Interruption::Asks(Box::new(Pause { prompt, schema, tool: Some(tool) }))
}

fn decision_schema(description: &str) -> Value {
    json!({
        "type": "object",
        "properties": {
            "approved": { "type": "boolean", "description": description },
            "comment": { "type": "string", "description": "What the model receives." },
        },
        "required": ["approved"],
        "additionalProperties": false,
    })
}
