//! The node types, one file each, and the registry of them all.
//!
//! A node type knows its ports, its config and what it does with its inputs. It refuses to know other nodes, the order of
//! a run, or where on a canvas it stands. Whatever it writes to a context goes through the context's manager.

mod approval;
mod catch;
mod chat;
mod classify;
mod context_start;
mod delay;
mod extract;
mod inject_messages;
mod join;
mod json;
mod manual_input;
mod new_context;
mod note;
mod output;
mod portal_in;
mod portal_out;
mod subflow;
mod switch;
mod text;
mod tools;
mod user_input;
mod value;

use std::sync::Arc;

use crate::context::{ContextHandle, Role};
use crate::error::{ErrorCode, Fault};
use crate::id::MessageId;
use crate::node::{Inputs, NodeContext, NodeOutput, Registry};
use crate::port::{PortKind, PortType, Ports};

/// Every node type of Plait.
pub fn registry() -> Registry {
    Registry::default()
        .with::<context_start::ContextStart>()
        .with::<new_context::NewContext>()
        .with::<inject_messages::InjectMessages>()
        .with::<user_input::UserInput>()
        .with::<manual_input::ManualInput>()
        .with::<approval::Approval>()
        .with::<chat::Chat>()
        .with::<classify::Classify>()
        .with::<extract::Extract>()
        .with::<tools::Tools>()
        .with::<text::Text>()
        .with::<value::Value>()
        .with::<json::Json>()
        .with::<switch::Switch>()
        .with::<join::Join>()
        .with::<subflow::Subflow>()
        .with::<delay::Delay>()
        .with::<catch::Catch>()
        .with::<portal_in::PortalIn>()
        .with::<portal_out::PortalOut>()
        .with::<output::Output>()
        .with::<note::Note>()
}

/// The text, unless there is nothing in it.
fn nonempty(text: &str) -> Option<String> {
    (!text.trim().is_empty()).then(|| text.to_owned())
}

/// The `context` input of a node that may write to the conversation, and then needs one.
fn conversation(needed: bool, description: &str) -> Ports {
    let ports = Ports::new();
    if needed {
        ports.input("context", PortKind::Context, PortType::Any, description)
    } else {
        ports.when_fed("context", PortKind::Context, PortType::Any, description)
    }
}

/// Writes one message to the history of the context `handle` stands for, and gives its id.
fn say(
    cx: &NodeContext,
    handle: Option<&ContextHandle>,
    role: Role,
    text: String,
) -> Result<MessageId, Fault> {
    let handle = handle.ok_or_else(|| {
        Fault::new(ErrorCode::ContextNone, "There is no conversation to write to.")
            .hint("Wire a context edge into this node, or turn `addToHistory` off.")
    })?;
    let manager = cx.context_manager(&handle.context_id)?;
    let message = Arc::new(cx.message(0, role, text, &manager.get().model));
    let id = message.id.clone();
    manager.add_message(message);
    Ok(id)
}

/// Adds to `output` the value of an input as it came, with the message it is.
fn pass_on(inputs: &Inputs, input: &str, output: NodeOutput, port: &str) -> NodeOutput {
    match inputs.datum(input) {
        Some(datum) => output.with_datum(port, datum),
        None => output,
    }
}

#[cfg(test)]
mod tests;
