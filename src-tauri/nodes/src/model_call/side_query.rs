//! Side queries: a prompt of its own, with instructions of its own, sent to a conversation's model, with or without the
//! conversation's history. Nothing of it enters the conversation unless the node wants it to.

use std::sync::Arc;

use super::{CallOptions, Interruption, Turn, UserMessage, loop_turns, retrieve_if_any};
use crate::codes;
use crate::prompt::{BlockInputs, LoopTurns};
use plait_core::error::Fault;
use plait_core::expression::as_text;
use plait_core::id::PortName;
use plait_core::offline::{ECHO, OFFLINE};
use plait_core::port::{PortKind, PortType, Ports};
use plait_llm::context::{
    CallOverrides, ContextHandle, ContextManager, ContextRecord, ContextType, History, resolve_model_config,
};
use plait_llm::models::ModelConfig;
use plait_llm::prompt_record::Block;
use plait_llm::provider::{ModelReply, Provider};
use plait_llm::retriever::{Knowledge, query_text};
use plait_run::node::{Card, CardPart, Datum, Inputs, NodeContext, NodeOutput};

/// A side query that is ready to be sent.
pub(crate) struct SideQuery {
    /// The input value that the query is about.
    pub(crate) subject: Datum,
    /// The conversation, if there is one.
    handle: Option<ContextHandle>,
    /// The same, if the user message and the reply are to enter it.
    target: Option<ContextManager>,
    model: ModelConfig,
    provider: Arc<dyn Provider>,
    record: ContextRecord,
    user_message: UserMessage,
    /// What knowledge bases hold about the subject.
    retrieval: Option<Block>,
    /// Whether the model gets the history of the loop around the node.
    use_history: bool,
}

pub(crate) struct SideQueryOptions<'a> {
    /// The name of the input it is about. If it is not fed, the last output on the context edge is used.
    pub(crate) input: &'a str,
    /// The system instructions, in place of the conversation's.
    pub(crate) instructions: String,
    /// Whether the model sees the conversation's history.
    pub(crate) with_history: bool,
    /// Whether the model gets the history of the conversational loop around the node, if there is one.
    pub(crate) use_history: bool,
    /// Whether the user message and the reply enter the conversation.
    pub(crate) add_to_history: bool,
    pub(crate) overrides: CallOverrides<'a>,
}

/// The inputs of a node that sends a side query.
pub(crate) fn side_query_inputs(input: &str, description: &str) -> Ports {
    Ports::new()
        .when_fed("context", PortKind::Context, PortType::Any, "The conversation whose model is asked")
        .when_fed(input, PortKind::Data, PortType::Any, description)
}

/// The card of a node that sends a side query.
pub(crate) fn side_query_card() -> Card {
    Card::new()
        .line([CardPart::text("overrideProvider"), CardPart::text("overrideModel")])
        .line([CardPart::text("instructions")])
        .line([CardPart::ContextMaker])
}

impl SideQuery {
    /// Prepares the query. Faults: `chat.no_message` if there is no input, and those of contexts, models and providers.
    pub(crate) fn new(
        options: SideQueryOptions<'_>,
        inputs: &Inputs,
        node_context: &NodeContext,
    ) -> Result<Self, Fault> {
        let handle = inputs.context()?;
        let manager =
            handle.as_ref().map(|handle| node_context.context_manager(&handle.context_id)).transpose()?;
        let context = match &manager {
            Some(manager) => ContextRecord::clone(&manager.get()),
            None => ContextRecord::new("".into(), ContextType::Isolated, OFFLINE, ECHO),
        };
        let model = resolve_model_config(&context, options.overrides, node_context.model_settings())?;
        let (port, subject) = match (inputs.datum(options.input), &handle) {
            (Some(datum), _) => (options.input, datum.clone()),
            (None, Some(ContextHandle { current_output: Some(output), message_id, .. })) => {
                let (value, message) = (Arc::new(output.clone()), message_id.clone());
                ("context", Datum { value, message, origins: inputs.origins() })
            }
            _ => return Err(no_message(options.input)),
        };
        let text = as_text(&subject.value);
        if text.trim().is_empty() {
            return Err(no_message(options.input));
        }
        let user_message =
            UserMessage::new(&context, text, subject.message.as_ref(), node_context, &model.model)
                .made_of(vec![port.into()]);
        let history = if options.with_history { context.message_history.clone() } else { History::default() };
        // No provider-side session: that belongs to the conversation, and a side query is not part of it.
        let record = ContextRecord {
            system_instructions: Some(options.instructions),
            session_id: "".into(),
            ..context
        }
        .with_history(history);
        let provider = node_context.host.providers.get(&model.provider)?;
        let target = manager.filter(|_| options.add_to_history);
        Ok(Self {
            subject,
            handle,
            target,
            model,
            provider,
            record,
            user_message,
            retrieval: None,
            use_history: options.use_history,
        })
    }

    /// Puts what knowledge bases hold about the subject before it. Faults `knowledge.*`, `grant.*`; an interruption if the person
    /// has to be asked about a folder.
    pub(crate) async fn add_knowledge(
        &mut self,
        knowledge: &Knowledge,
        node_context: &NodeContext,
    ) -> Result<(), Interruption> {
        let query = || query_text(&as_text(&self.subject.value), None);
        let found = retrieve_if_any(knowledge, query, &self.model.model, node_context).await?;
        self.retrieval = found.map(|found| found.prompt_block(&self.model.model));
        Ok(())
    }

    /// The conversation of the loop around the node, for [`Self::begin`].
    pub(crate) fn loop_turns<'a>(&self, node_context: &'a NodeContext) -> Option<LoopTurns<'a>> {
        let text = as_text(&self.subject.value);
        let port = self.user_message.inputs.first().map_or("", PortName::as_str);
        let incoming = Some((port, text.as_str(), self.subject.message.as_ref()));
        loop_turns(node_context, self.use_history, incoming, &self.model, &*self.provider)
    }

    /// Begins the turn.
    pub(crate) fn begin<'a>(
        &'a self,
        options: CallOptions<'a>,
        turns: Option<&'a LoopTurns<'a>>,
        node_context: &'a NodeContext,
    ) -> Turn<'a> {
        let mut turn = Turn::new(
            options,
            node_context,
            &self.record,
            &self.model,
            &self.user_message,
            &[],
            &*self.provider,
        )
        .with_blocks(BlockInputs { retrieval: self.retrieval.as_ref(), ..BlockInputs::default() })
        .with_turns(turns);
        if let Some(conversation) = &self.target {
            turn.begin(conversation);
        }
        turn
    }

    /// Commits the turn and returns the node's output, with the conversation on its `context` output.
    pub(crate) fn finish(&self, turn: &Turn<'_>, reply: &ModelReply) -> NodeOutput {
        turn.commit(reply);
        let output = turn.add_usage_to(NodeOutput::new());
        match &self.handle {
            Some(handle) => output.with_context(handle),
            None => output,
        }
    }
}

fn no_message(input: &str) -> Fault {
    Fault::new(codes::CHAT_NO_MESSAGE, "There is nothing to ask the model about.")
        .hint(format!("Feed `{input}`, or put a `userInput` before this node on the context edge."))
}
