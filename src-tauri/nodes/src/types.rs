//! The node types, one file each, and the registry of all of them.
//!
//! A node type knows its ports, its config, and what it does with its inputs. It refuses to know other nodes, the order of
//! a run, or positions on a canvas. It writes to a context only through the context's manager.

mod addressed_context;
mod approval;
mod call_tool;
mod catch;
mod chat;
mod classify;
mod code;
mod context_start;
mod delay;
mod extract;
mod http_request;
mod inject_messages;
mod join;
mod json;
mod loop_node;
mod manual_input;
mod mcp_server;
mod new_context;
mod note;
mod output;
mod placeholder;
mod portal_in;
mod portal_out;
mod read_file;
mod recall;
mod remember;
mod retrieve;
mod set_context;
mod subflow;
mod subject;
mod switch;
mod text;
mod tools;
mod user_input;
mod value;

use plait_core::config::Unused;
use plait_core::offline::{OFFLINE, PROMPT};
use plait_core::port::{PortKind, PortType, Ports};
use plait_run::node::{Registry, Surroundings};

use crate::model_call::engine_tools;

/// All node types, and the tools that they answer.
pub fn registry() -> Registry {
    Registry::default()
        .with::<context_start::ContextStart>()
        .with::<new_context::NewContext>()
        .with::<inject_messages::InjectMessages>()
        .with::<set_context::SetContext>()
        .with::<user_input::UserInput>()
        .with::<manual_input::ManualInput>()
        .with::<approval::Approval>()
        .with::<chat::Chat>()
        .with::<classify::Classify>()
        .with::<extract::Extract>()
        .with::<tools::Tools>()
        .with::<mcp_server::McpServer>()
        .with::<call_tool::CallTool>()
        .with::<http_request::HttpRequest>()
        .with::<text::Text>()
        .with::<value::Value>()
        .with::<json::Json>()
        .with::<retrieve::Retrieve>()
        .with::<recall::RecallNode>()
        .with::<remember::Remember>()
        .with::<code::Code>()
        .with::<read_file::ReadFile>()
        .with::<switch::Switch>()
        .with::<join::Join>()
        .with::<loop_node::Loop>()
        .with::<subflow::Subflow>()
        .with::<delay::Delay>()
        .with::<catch::Catch>()
        .with::<portal_in::PortalIn>()
        .with::<portal_out::PortalOut>()
        .with::<output::Output>()
        .with::<note::Note>()
        .with::<placeholder::Placeholder>()
        .with_tools(engine_tools())
}

fn non_blank(text: &str) -> Option<String> {
    (!text.trim().is_empty()).then(|| text.to_owned())
}

/// The `context` input of a node: required if the node writes to the conversation's history.
fn context_input(required: bool, description: &str) -> Ports {
    let ports = Ports::new();
    if required {
        ports.input("context", PortKind::Context, PortType::Any, description)
    } else {
        ports.when_fed("context", PortKind::Context, PortType::Any, description)
    }
}

/// Whether this model surely takes a single prompt. `None` if no model is set. Other models do if the settings say so.
fn prompt_only(provider: Option<&str>, model: Option<&str>) -> Option<bool> {
    match (provider, model) {
        (None, None) => None,
        (provider, model) => Some(provider.unwrap_or(OFFLINE) == OFFLINE && model == Some(PROMPT)),
    }
}

/// The settings that need a context, of a node without a context edge.
fn unused_without_context(settings: &[&str], around: &Surroundings<'_>) -> Vec<Unused> {
    let unused = |setting: &&str| {
        Unused::new(*setting, "no edge leads to `context`", "connect a conversation to `context`")
    };
    settings.iter().filter(|_| !around.feeds("context")).map(unused).collect()
}

#[cfg(test)]
mod tests;
