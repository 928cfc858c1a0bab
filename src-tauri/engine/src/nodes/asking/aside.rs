//! Asking beside a conversation: a question of its own with instructions of its own, put to a conversation's model, with
//! or without what was said there. Nothing of it enters the conversation unless that is wanted.

use std::sync::Arc;

use serde_json::Value;

use super::{ANSWER, Manner, QUESTION, Turn};
use crate::context::{
    ContextHandle, ContextManager, ContextRecord, ContextType, History, Message, Role, SharedMessage,
};
use crate::error::Fault;
use crate::id::MessageId;
use crate::node::{Cx, Inputs, NodeOutput, as_text};
use crate::port::{PortKind, PortType, Ports};
use crate::prompt::{ECHO, ModelConfig, OFFLINE, Overrides, resolve_model_config};
use crate::provider::{ModelReply, Provider};
use crate::run::Fact;

/// A question beside a conversation, ready to be put.
pub(in crate::nodes) struct Aside {
    /// What the question is about, as it came, and the message of the conversation that says so.
    pub(in crate::nodes) about: (Arc<Value>, Option<MessageId>),
    /// The conversation, where there is one.
    pub(in crate::nodes) handle: Option<ContextHandle>,
    pub(in crate::nodes) model: ModelConfig,
    pub(in crate::nodes) provider: Arc<dyn Provider>,
    manager: Option<ContextManager>,
    record: ContextRecord,
    question: SharedMessage,
    /// Whether the conversation's last message is the question already.
    stored: bool,
}

/// How an aside is put.
pub(in crate::nodes) struct Wanted<'a> {
    /// The input it is about; what was last said in the conversation where it is not fed.
    pub(in crate::nodes) input: &'a str,
    /// Its instructions, in place of the conversation's.
    pub(in crate::nodes) instructions: String,
    /// Whether the model sees what was said before.
    pub(in crate::nodes) with_history: bool,
    pub(in crate::nodes) overrides: Overrides<'a>,
}

/// The inputs of a node that asks aside.
pub(in crate::nodes) fn inputs(input: &str, description: &str) -> Ports {
    Ports::new()
        .when_fed("context", PortKind::Context, PortType::Any, "The conversation whose model is asked")
        .when_fed(input, PortKind::Data, PortType::Any, description)
}

impl Aside {
    /// Gets everything ready. Faults: `chat.no_message` where there is nothing to ask about, and those of contexts, models
    /// and providers.
    pub(in crate::nodes) fn new(wanted: Wanted<'_>, inputs: &Inputs, cx: &Cx) -> Result<Self, Fault> {
        let handle = inputs.context()?;
        let manager = handle.as_ref().map(|handle| cx.context_manager(&handle.context_id)).transpose()?;
        let context = match &manager {
            Some(manager) => ContextRecord::clone(&manager.get()),
            None => ContextRecord::new("".into(), ContextType::Isolated, OFFLINE, ECHO),
        };
        let model = resolve_model_config(&context, wanted.overrides, cx.known())?;
        let about = match (inputs.datum(wanted.input), &handle) {
            (Some(datum), _) => (Arc::clone(&datum.value), datum.message.clone()),
            (None, Some(ContextHandle { current_output: Some(said), message_id, .. })) => {
                (Arc::new(said.clone()), message_id.clone())
            }
            _ => return Err(nothing(wanted.input)),
        };
        let text = as_text(&about.0);
        if text.trim().is_empty() {
            return Err(nothing(wanted.input));
        }
        let last = context.message_history.last();
        let stored =
            last.filter(|last| last.role == Role::User && Some(&last.id) == about.1.as_ref()).cloned();
        let question =
            stored.clone().unwrap_or_else(|| Arc::new(cx.message(QUESTION, Role::User, text, &model.model)));
        let history = if wanted.with_history { context.message_history.clone() } else { History::default() };
        // A provider keeps nothing of an aside: what it keeps is the conversation, which this is not.
        let record = ContextRecord {
            system_instructions: Some(wanted.instructions),
            session_id: String::new(),
            ..context
        }
        .with_history(history);
        let provider = cx.host.providers.get(&model.provider)?;
        Ok(Self { about, handle, model, provider, manager, record, question, stored: stored.is_some() })
    }

    /// The turn in which it is asked.
    pub(in crate::nodes) fn turn<'a>(&'a self, manner: Manner<'a>, cx: &'a Cx) -> Turn<'a> {
        Turn::new(manner, cx, &self.record, &self.model, &self.question, &[], &*self.provider)
    }

    /// Tells that a turn in the conversation begins, where it is to become part of it.
    pub(in crate::nodes) fn begin(&self, written: bool, cx: &Cx) {
        if let Some(context_id) = self.written_to(written) {
            let (node, epoch) = (cx.activation.node.clone(), cx.activation.epoch.clone());
            cx.note(Fact::TurnStarted { node, epoch, context_id });
        }
    }

    /// Tells that it was given up.
    pub(in crate::nodes) fn discard(&self, written: bool, partial: String, cx: &Cx) {
        if let Some(context_id) = self.written_to(written) {
            let (node, epoch) = (cx.activation.node.clone(), cx.activation.epoch.clone());
            cx.note(Fact::TurnDiscarded { node, epoch, context_id, partial });
        }
    }

    /// What the node gives back, with the conversation handed on as it came, or with question and answer in it.
    pub(in crate::nodes) fn finish(
        &self,
        turn: &Turn<'_>,
        reply: &ModelReply,
        written: bool,
        cx: &Cx,
    ) -> NodeOutput {
        if let Some(manager) = self.manager.as_ref().filter(|_| written) {
            let answer = Arc::new(Message {
                reasoning: reply.reasoning.clone(),
                ..cx.message(ANSWER, Role::Assistant, reply.text.clone(), &self.model.model)
            });
            let asked = (!self.stored).then(|| Arc::clone(&self.question));
            manager.commit_turn(asked.into_iter().chain([answer]).collect(), turn.spent().learned.clone());
        }
        let output = turn.spent().told(NodeOutput::new(), &self.model);
        match &self.handle {
            Some(handle) => output.hand_on(handle),
            None => output,
        }
    }

    fn written_to(&self, written: bool) -> Option<crate::id::ContextId> {
        self.manager.as_ref().filter(|_| written).map(|manager| manager.id().clone())
    }
}

fn nothing(input: &str) -> Fault {
    Fault::new("chat.no_message", "There is nothing to ask the model about.")
        .hint(format!("Feed `{input}`, or put a `userInput` before this node on the context edge."))
}
