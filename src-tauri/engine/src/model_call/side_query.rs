//! Asking beside a conversation: a question of its own with instructions of its own, put to a conversation's model, with
//! or without what was said there. Nothing of it enters the conversation unless that is wanted.

use std::sync::Arc;

use super::{Manner, Question, Turn};
use crate::context::{ContextHandle, ContextManager, ContextRecord, ContextType, History};
use crate::error::{ErrorCode, Fault};
use crate::expression::as_text;
use crate::models::{ECHO, OFFLINE};
use crate::node::{Datum, Inputs, NodeContext, NodeOutput};
use crate::port::{PortKind, PortType, Ports};
use crate::prompt::{ModelConfig, Overrides, resolve_model_config};
use crate::provider::{ModelReply, Provider};

/// A question beside a conversation, ready to be put.
pub(crate) struct Aside {
    /// What the question is about, as it came.
    pub(crate) about: Datum,
    /// The conversation, where there is one.
    handle: Option<ContextHandle>,
    /// The same, where question and answer are to enter it.
    written: Option<ContextManager>,
    model: ModelConfig,
    provider: Arc<dyn Provider>,
    record: ContextRecord,
    question: Question,
}

/// How an aside is put.
pub(crate) struct Wanted<'a> {
    /// The input it is about; what was last said in the conversation where it is not fed.
    pub(crate) input: &'a str,
    /// Its instructions, in place of the conversation's.
    pub(crate) instructions: String,
    /// Whether the model sees what was said before.
    pub(crate) with_history: bool,
    /// Whether question and answer enter the conversation.
    pub(crate) written: bool,
    pub(crate) overrides: Overrides<'a>,
}

/// The inputs of a node that asks aside.
pub(crate) fn inputs(input: &str, description: &str) -> Ports {
    Ports::new()
        .when_fed("context", PortKind::Context, PortType::Any, "The conversation whose model is asked")
        .when_fed(input, PortKind::Data, PortType::Any, description)
}

impl Aside {
    /// Gets everything ready. Faults: `chat.no_message` where there is nothing to ask about, and those of contexts, models
    /// and providers.
    pub(crate) fn new(wanted: Wanted<'_>, inputs: &Inputs, cx: &NodeContext) -> Result<Self, Fault> {
        let handle = inputs.context()?;
        let manager = handle.as_ref().map(|handle| cx.context_manager(&handle.context_id)).transpose()?;
        let context = match &manager {
            Some(manager) => ContextRecord::clone(&manager.get()),
            None => ContextRecord::new("".into(), ContextType::Isolated, OFFLINE, ECHO),
        };
        let model = resolve_model_config(&context, wanted.overrides, cx.known())?;
        let about = match (inputs.datum(wanted.input), &handle) {
            (Some(datum), _) => datum.clone(),
            (None, Some(ContextHandle { current_output: Some(said), message_id, .. })) => {
                Datum { value: Arc::new(said.clone()), message: message_id.clone() }
            }
            _ => return Err(nothing(wanted.input)),
        };
        let text = as_text(&about.value);
        if text.trim().is_empty() {
            return Err(nothing(wanted.input));
        }
        let question = Question::new(&context, text, about.message.as_ref(), cx, &model.model);
        let history = if wanted.with_history { context.message_history.clone() } else { History::default() };
        // A provider keeps nothing of an aside: what it keeps is the conversation, which this is not.
        let record = ContextRecord {
            system_instructions: Some(wanted.instructions),
            session_id: String::new(),
            ..context
        }
        .with_history(history);
        let provider = cx.host.providers.get(&model.provider)?;
        let written = manager.filter(|_| wanted.written);
        Ok(Self { about, handle, written, model, provider, record, question })
    }

    /// The turn in which it is asked.
    pub(crate) fn turn<'a>(&'a self, manner: Manner<'a>, cx: &'a NodeContext) -> Turn<'a> {
        let mut turn = Turn::new(manner, cx, &self.record, &self.model, &self.question, &[], &*self.provider);
        if let Some(conversation) = &self.written {
            turn.begin(conversation);
        }
        turn
    }

    /// What the node gives back, with the conversation handed on as it came, or with question and answer in it.
    pub(crate) fn finish(&self, turn: &Turn<'_>, reply: &ModelReply) -> NodeOutput {
        turn.commit(reply);
        let output = turn.spent().told(NodeOutput::new(), &self.model);
        match &self.handle {
            Some(handle) => output.hand_on(handle),
            None => output,
        }
    }
}

fn nothing(input: &str) -> Fault {
    Fault::new(ErrorCode::ChatNoMessage, "There is nothing to ask the model about.")
        .hint(format!("Feed `{input}`, or put a `userInput` before this node on the context edge."))
}
