//! What a tool asks for during a call: answers of the person, and replies of a model.
//!
//! A question ends the execution of the node. When the call is made again, each request that was asked before takes its
//! recorded answer; requests are matched by what they say, so a tool may ask in any order. A reply of a model is made by
//! the [sampler](super::sampling), within the call.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use plait_core::error::Fault;
use plait_core::origin::Origins;
use plait_llm::context::ToolCall;
use plait_llm::models::ModelConfig;
use plait_llm::tool::{
    SamplingReply, SamplingRequest, ToolAnswer, ToolPause, ToolPauseKind, ToolQuestion, ToolRequests,
};
use plait_run::node::Pause;

use crate::codes;

/// How often a call may ask the person or request a reply. More is a mistake of the tool, or a tool that never asks the same
/// twice.
const MAX_REQUESTS_PER_CALL: usize = 20;
/// Maximum size of the instructions and messages of a request for a reply. The person reads all of it.
const MAX_SAMPLING_BYTES: usize = 64 << 10;

/// What the person answered to a request of an earlier execution of the call.
#[derive(Clone, Debug)]
pub(super) struct RecordedAnswer {
    pub(super) kind: ToolPauseKind,
    pub(super) prompt: String,
    pub(super) schema: Value,
    pub(super) value: Value,
}

/// A request for the reply of a model that the person accepted.
#[derive(Debug)]
pub(super) struct SamplingJob {
    /// Its number among the requests of the call.
    pub(super) index: u32,
    pub(super) request: SamplingRequest,
    pub(super) reply: oneshot::Sender<Result<SamplingReply, Fault>>,
}

/// Serves one execution of a call.
#[derive(Debug)]
pub(super) struct CallRequests {
    step: u32,
    call: ToolCall,
    answers: Arc<[RecordedAnswer]>,
    /// The model that replies to the tool, if there is one.
    model: Option<ModelConfig>,
    jobs: mpsc::UnboundedSender<SamplingJob>,
    state: Mutex<RequestState>,
}

#[derive(Debug)]
struct RequestState {
    /// Which of the answers were taken.
    taken: Vec<bool>,
    /// The question that has no answer yet.
    open: Option<Pause>,
}

/// A person's answer, as the schema of the pause has it.
#[derive(Deserialize)]
struct Acceptance {
    accept: bool,
    #[serde(default)]
    content: Value,
}

impl CallRequests {
    /// Serves an execution of `call`. Accepted requests for a reply go to the receiver.
    pub(super) fn new(
        step: u32,
        call: &ToolCall,
        answers: Arc<[RecordedAnswer]>,
        model: Option<ModelConfig>,
    ) -> (Self, mpsc::UnboundedReceiver<SamplingJob>) {
        let (jobs, receiver) = mpsc::unbounded_channel();
        let state = Mutex::new(RequestState { taken: vec![false; answers.len()], open: None });
        (Self { step, call: call.clone(), answers, model, jobs, state }, receiver)
    }

    /// The question that has no answer yet.
    pub(super) fn take_open(&self) -> Option<Pause> {
        self.state.lock().open.take()
    }

    /// The number of a request and its recorded answer. Without one the question is open, and the fault ends the call.
    fn answer_to(
        &self,
        kind: ToolPauseKind,
        prompt: String,
        schema: Value,
    ) -> Result<(usize, Acceptance), Fault> {
        let mut state = self.state.lock();
        if state.open.is_none() {
            let is_asked = |(index, one): (usize, &RecordedAnswer)| {
                !state.taken[index] && one.kind == kind && one.prompt == prompt && one.schema == schema
            };
            if let Some(index) = self.answers.iter().enumerate().position(is_asked) {
                state.taken[index] = true;
                let answer = Acceptance::deserialize(&self.answers[index].value).map_err(|error| {
                    Fault::new(codes::ANSWER_INVALID, format!("The answer is not one to a tool: {error}."))
                })?;
                return Ok((index, answer));
            }
            if self.answers.len() >= MAX_REQUESTS_PER_CALL {
                return Err(self.too_many());
            }
            let tool = Some(ToolPause {
                step: self.step,
                call_id: self.call.id.clone(),
                name: self.call.name.clone(),
                kind,
                untrusted: Origins::NONE,
                also_asking: Vec::new(),
            });
            state.open = Some(Pause { prompt, schema, tool });
        }
        Err(Fault::new(codes::TOOL_ASKS, "The call waits for the person's answer."))
    }

    fn too_many(&self) -> Fault {
        let message = format!(
            "`{}` asked for something more than {MAX_REQUESTS_PER_CALL} times in one call.",
            self.call.name
        );
        Fault::new(codes::TOOL_TOO_MANY_REQUESTS, message).hint(
            "After each answer the call is made again; a tool that asks something else each time never ends.",
        )
    }
}

#[async_trait]
impl ToolRequests for CallRequests {
    async fn ask(&self, question: ToolQuestion) -> Result<ToolAnswer, Fault> {
        let ToolQuestion { from, message, schema } = question;
        let prompt = format!("**{from}** asks, for its tool `{}`:\n\n{message}", self.call.name);
        let (_, answer) = self.answer_to(ToolPauseKind::Tool, prompt, answer_schema(&schema))?;
        Ok(if answer.accept { ToolAnswer::Accepted(answer.content) } else { ToolAnswer::Declined })
    }

    async fn sample(&self, request: SamplingRequest) -> Result<Option<SamplingReply>, Fault> {
        let Some(model) = &self.model else { return Err(no_model(&request.from)) };
        check_size(&request)?;
        let prompt = describe(&request, model, &self.call.name);
        let (index, answer) = self.answer_to(ToolPauseKind::Sampling, prompt, acceptance_schema())?;
        if !answer.accept {
            return Ok(None);
        }
        let (reply, received) = oneshot::channel();
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        // The receiver belongs to the call. If it has ended, nobody waits for the reply.
        let ended = |()| Fault::new(codes::TOOL_ASKS, "The call has ended.");
        self.jobs.send(SamplingJob { index, request, reply }).map_err(|_| ended(()))?;
        received.await.map_err(|_| ended(()))?.map(Some)
    }
}

/// The most tokens that a reply to `request` may have: the node's own limit holds as well.
pub(super) fn max_tokens(request: &SamplingRequest, model: &ModelConfig) -> u32 {
    let wanted = u32::try_from(request.max_tokens).unwrap_or(u32::MAX).max(1);
    model.max_tokens.map_or(wanted, |limit| limit.min(wanted))
}

/// The schema of the answer to a question of a tool.
fn answer_schema(content: &Value) -> Value {
    json!({
        "type": "object",
        "properties": {
            "accept": { "type": "boolean", "description": "Whether you answer." },
            "content": content,
        },
        "required": ["accept"],
        "additionalProperties": false,
        "if": { "properties": { "accept": { "const": true } } },
        "then": { "required": ["content"] },
    })
}

/// The schema of the answer to a request for a reply.
fn acceptance_schema() -> Value {
    json!({
        "type": "object",
        "properties": { "accept": { "type": "boolean", "description": "Whether the model may reply." } },
        "required": ["accept"],
        "additionalProperties": false,
    })
}

/// The question whether a model may reply: everything that it would receive.
fn describe(request: &SamplingRequest, model: &ModelConfig, tool: &str) -> String {
    let mut prompt = format!(
        "**{}** requests the reply of a model, for its tool `{tool}`. Let `{}/{}` reply, with at most {} tokens?\n\nThe \
         server wrote what the model would receive, and gets the reply.",
        request.from,
        model.provider,
        model.model,
        max_tokens(request, model)
    );
    let instructions = request.system.as_deref().map(|text| ("Instructions", text));
    let messages = request
        .messages
        .iter()
        .map(|message| (if message.from_model { "Model" } else { "User" }, message.text.as_str()));
    for (speaker, text) in instructions.into_iter().chain(messages) {
        prompt.push_str("\n\n**");
        prompt.push_str(speaker);
        prompt.push_str("**\n\n");
        prompt.push_str(&fenced(text, "text"));
    }
    prompt
}

fn check_size(request: &SamplingRequest) -> Result<(), Fault> {
    let messages: usize = request.messages.iter().map(|message| message.text.len()).sum();
    let size = messages + request.system.as_deref().map_or(0, str::len);
    if size <= MAX_SAMPLING_BYTES {
        return Ok(());
    }
    let limit = MAX_SAMPLING_BYTES >> 10;
    let message =
        format!("`{}` requests the reply of a model to a text of more than {limit} KB.", request.from);
    Err(Fault::new(codes::TOOL_SAMPLING_TOO_LARGE, message)
        .hint("Nobody could read what the model would receive. Call the tool with less."))
}

fn no_model(from: &str) -> Fault {
    let message = format!("`{from}` requests the reply of a model, and this node has none.");
    Fault::new(codes::TOOL_NO_MODEL, message)
        .hint("Set the node's `provider` and `model`, or let a *Chat* call the tool.")
}

/// A text as a block of Markdown, with any content.
pub(super) fn fenced(text: &str, language: &str) -> String {
    // Longer than any fence inside.
    let longest = text.split(|char| char != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}")
}
