//! The turn of a pinned chat: its message and the pinned reply enter the history, as if the model had given it. Nothing is called.

use super::{Config, user_message};
use crate::model_call::{self, Incoming, MemoryAccess, UserMessage};
use plait_core::error::Fault;
use plait_core::expression::as_text;
use plait_llm::context::ContextHandle;
use plait_run::node::{Inputs, NodeContext, NodeOutput};

/// Records the turn, if the pin has a reply and there is a message before it. Returns the output, which says which message the reply is.
pub(super) async fn record_turn(
    config: &Config,
    inputs: &Inputs,
    node_context: &NodeContext,
    output: NodeOutput,
) -> Result<NodeOutput, Fault> {
    let (Some(handle), Some(reply)) = (inputs.context()?, output.outputs.get("response")) else {
        return Ok(output);
    };
    let reply = as_text(reply);
    let asked = match question(config, inputs, &handle, node_context).await {
        Ok(asked) => asked,
        Err(fault) => {
            // The node is not executed, so it does not fail. Without a question there is no turn.
            node_context.notice(model_call::no_turn_of_pin(node_context, &fault));
            return Ok(output);
        }
    };
    let manager = node_context.context_manager(&handle.context_id)?;
    let model = manager.get().model.clone();
    if !config.skip_history {
        model_call::commit_turn_of_pin(&manager, &asked.message, &reply, node_context, &model);
    }
    let memory = MemoryAccess::new(&config.memory, node_context, asked.incoming.as_ref(), &model);
    if let Some(memory) = &memory {
        model_call::remember_turn_of_pin(memory, &reply, &model);
    }
    let id = model_call::reply_id(node_context);
    let handle = handle.with_output(reply.into(), Some(id.clone()));
    Ok(output.with_context(&handle).is_message("response", id))
}

/// The message that a pinned node would have sent.
struct Question {
    message: UserMessage,
    incoming: Option<Incoming>,
}

async fn question(
    config: &Config,
    inputs: &Inputs,
    handle: &ContextHandle,
    node_context: &NodeContext,
) -> Result<Question, Fault> {
    let context = node_context.context_manager(&handle.context_id)?.get();
    let mut prepared = user_message::prepare(config.prompt.as_ref(), inputs, handle, node_context).await?;
    prepared.identify(node_context);
    let repeated = prepared
        .incoming
        .as_ref()
        .filter(|incoming| !incoming.in_template)
        .and_then(|incoming| incoming.message.as_ref());
    let message = prepared.build(&context, node_context, repeated, &context.model)?;
    let attachments = model_call::attached(inputs)?;
    let message = if attachments.is_empty() {
        message
    } else {
        message.attach(attachments, node_context, &context.model).await?
    };
    Ok(Question { message, incoming: prepared.incoming })
}
