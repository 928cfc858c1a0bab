//! One turn of a chat: a run of the flow that goes on with the conversation, takes the message and replies.

use std::sync::Arc;

use plait_api::ErrorReply;
use plait_api::conversations::{GetConversation, ListMessages};
use plait_api::hosts::VersionedFlow;
use plait_api::runs::{
    AnswerRun, EndPause, RunRequest, RunState, SaidMessage, ShowRun, Speaker, StartRun, answer_text,
};
use plait_core::flow::Flow;
use plait_core::id::{ConversationId, RunId};
use plait_journal::view::{OpenPause, RunStatus};
use plait_llm::context::Role;
use plait_llm::models::TokenUsage;
use serde_json::Value;

use super::request::Chat;
use crate::chat_threads::Thread;
use crate::codes;
use crate::tenant::Tenant;

/// How many times the pauses of a run are ended after its reply: each round of it may ask again.
const MAX_ENDED_PAUSES: usize = 16;

/// A turn that was begun.
pub(crate) struct Turn {
    tenant: Arc<Tenant>,
    pub(crate) run: RunId,
    pub(crate) flow: Flow,
    /// The name of the published flow, and the id of the token.
    thread_of: (String, String),
    conversation: ConversationId,
    said: Vec<SaidMessage>,
    /// The message, if a question takes it.
    answer: Option<String>,
}

/// What the flow replied.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) text: String,
    /// Whether its end is missing.
    pub(crate) is_truncated: bool,
    pub(crate) tokens: TokenUsage,
}

impl Turn {
    /// Begins the run. `chat.no_input`, and the errors of `run.start`.
    pub(crate) async fn begin(
        tenant: Arc<Tenant>,
        token: &str,
        name: String,
        version: VersionedFlow,
        chat: Chat,
    ) -> Result<Self, ErrorReply> {
        let VersionedFlow { about, flow } = version;
        let Chat { said_before, message, .. } = chat;
        let has = |node_type: &str| flow.nodes.values().any(|node| node.node_type == node_type);
        let (input, answer) = match (has("manualInput"), has("userInput")) {
            (true, _) => (Some(message.clone()), None),
            (false, true) => (None, Some(message.clone())),
            (false, false) => {
                let message = format!("The flow `{name}` takes no message.");
                return Err(ErrorReply::new(codes::CHAT_NO_INPUT, message)
                    .hint("Give it a `manualInput` node, or a `userInput` node that asks first."));
            }
        };
        let known = known_thread(&tenant, token, &name, &said_before).await;
        let mut request = RunRequest { flow: flow.clone(), path: about.path, input, ..RunRequest::default() };
        match known {
            Some(conversation) => request.conversation = Some(conversation),
            None => request.said_before = Some(said_before.clone()),
        }
        let run = tenant.plait.call(StartRun(request)).await?.run;
        let summary = tenant.plait.call(ShowRun { run: run.clone() }).await?.summary;
        let conversation = summary.conversation.ok_or_else(|| no_reply(&run))?;
        let mut said = said_before;
        said.push(SaidMessage { role: Speaker::User, text: message });
        Ok(Self { tenant, run, flow, thread_of: (token.to_owned(), name), conversation, said, answer })
    }

    /// Gives the message to the first question of the run, if it asks for it. `chat.waits`, `chat.no_input`, and the errors of the answer.
    pub(crate) async fn answer_first(&mut self) -> Result<(), ErrorReply> {
        let Some(answer) = self.answer.take() else { return Ok(()) };
        self.tenant.rest(&self.run).await?;
        let state = self.tenant.state(&self.run).await?;
        let Some(question) = state.questions.first() else {
            // It has ended before it asked: `finish` says how.
            return Ok(());
        };
        self.check_question(question)?;
        let value = answer_text::parse_answer(&question.schema, &answer);
        let (node, epoch) = (question.node.clone(), question.epoch.clone());
        let answer = AnswerRun { run: self.run.clone(), node, epoch, value, attachments: Vec::new() };
        self.tenant.plait.call(answer).await
    }

    /// The reply, once the run rests. Its further questions are ended: the next message is another run. The fault of the run,
    /// `chat.waits`, `chat.no_reply`, `host.closing`.
    pub(crate) async fn finish(self) -> Result<Reply, ErrorReply> {
        let mut state = self.rested().await?;
        for _ in 0..MAX_ENDED_PAUSES {
            if state.status.is_final() || state.questions.is_empty() {
                break;
            }
            for question in &state.questions {
                self.check_question(question)?;
                let (node, epoch) = (question.node.clone(), question.epoch.clone());
                self.tenant.plait.call(EndPause { run: self.run.clone(), node, epoch }).await?;
            }
            state = self.rested().await?;
        }
        match (state.status, state.error.take()) {
            (RunStatus::Finished, _) => {}
            (_, Some(error)) => return Err(error.error.into()),
            (RunStatus::Cancelled, None) => {
                let message = format!("Run {} was canceled.", self.run);
                return Err(ErrorReply::new(codes::CHAT_NO_REPLY, message));
            }
            (_, None) => return Err(waits(&self.run)),
        }
        let (text, is_truncated) = match output_text(&self.flow, &state) {
            Some(text) => (text, false),
            None => self.last_message().await?.ok_or_else(|| no_reply(&self.run))?,
        };
        self.remember(&text).await;
        Ok(Reply { text, is_truncated, tokens: state.tokens })
    }

    async fn rested(&self) -> Result<RunState, ErrorReply> {
        self.tenant.rest(&self.run).await?;
        self.tenant.state(&self.run).await
    }

    /// Only the question of a `userInput` node of the flow itself can be answered by a message.
    fn check_question(&self, question: &OpenPause) -> Result<(), ErrorReply> {
        let asks_for_input =
            self.flow.nodes.get(&question.node).is_some_and(|node| node.node_type == "userInput");
        if asks_for_input && question.tool.is_none() && question.asker.is_none() {
            return Ok(());
        }
        Err(waits(&self.run))
    }

    /// The last message that the run added to its conversation, and whether its end is missing.
    async fn last_message(&self) -> Result<Option<(String, bool)>, ErrorReply> {
        let plait = &self.tenant.plait;
        let conversation = self.conversation.clone();
        let record = plait.call(GetConversation { conversation: conversation.clone() }).await?;
        let from = record.messages.saturating_sub(1);
        let page = plait.call(ListMessages { conversation, from, limit: Some(1) }).await?;
        let last = page.messages.into_iter().next_back();
        let last = last.filter(|last| last.role == Role::Assistant && last.run == self.run);
        Ok(last.map(|last| (last.content.text(), last.truncated)))
    }

    /// Remembers the conversation, if it has what the client will send with the next message.
    async fn remember(self, reply: &str) {
        let Self { tenant, thread_of: (token, name), conversation, mut said, .. } = self;
        said.push(SaidMessage { role: Speaker::Assistant, text: reply.to_owned() });
        let Ok(record) = tenant.plait.call(GetConversation { conversation: conversation.clone() }).await
        else {
            return;
        };
        if record.messages == said.len() as u64 {
            tenant.threads.put(&token, &name, &said, Thread { conversation, messages: record.messages });
        }
    }
}

/// The conversation that has what was said, unless somebody went on with it elsewhere.
async fn known_thread(
    tenant: &Tenant,
    token: &str,
    name: &str,
    said: &[SaidMessage],
) -> Option<ConversationId> {
    let thread = tenant.threads.take(token, name, said)?;
    let record = tenant.plait.call(GetConversation { conversation: thread.conversation }).await.ok()?;
    (record.messages == thread.messages).then_some(record.id)
}

/// The value of the only `output` node of the flow as text.
fn output_text(flow: &Flow, state: &RunState) -> Option<String> {
    let mut outputs = flow.nodes.iter().filter(|(_, node)| node.node_type == "output");
    let (Some((node, _)), None) = (outputs.next(), outputs.next()) else { return None };
    match state.outputs.get(node.as_str())?.as_object()?.values().next()? {
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

fn no_reply(run: &RunId) -> ErrorReply {
    ErrorReply::new(codes::CHAT_NO_REPLY, format!("Run {run} ended without a reply."))
        .hint("Let the flow reply in the context `main`, or with an `output` node.")
}

fn waits(run: &RunId) -> ErrorReply {
    let message = format!("Run {run} waits for a decision that no message can be.");
    ErrorReply::new(codes::CHAT_WAITS, message)
        .hint("Decide it in the window or with `run.answer`, and look at the run for the reply.")
}
