//! The input of a child run: a text, and values for its inputs. Nothing else of the parent reaches the child.

use std::sync::Arc;

use serde_json::Value;

use super::VALUE;
use super::config::{Config, InputSource, MappingTarget};
use plait_core::error::Fault;
use plait_core::expression::as_text;
use plait_journal::InputOverrides;
use plait_llm::context::ContextHandle;
use plait_run::node::{Inputs, NodeContext};

#[derive(Default)]
pub(super) struct ChildInput {
    /// The child's input text. Without one, the child's own settings apply.
    pub(super) text: Option<String>,
    pub(super) overrides: InputOverrides,
}

/// The child's input for this execution.
pub(super) fn build(
    config: &Config,
    inputs: &Inputs,
    handle: Option<&ContextHandle>,
    node_context: &NodeContext,
) -> Result<ChildInput, Fault> {
    let only_text = |text| ChildInput { text: Some(text), ..ChildInput::default() };
    match config.input_source {
        InputSource::LastMessage => last_message(handle, node_context).map(only_text),
        InputSource::NodeOutput => Ok(only_text(inputs.text(VALUE).unwrap_or_default())),
        InputSource::Mapping => Ok(map_inputs(config, inputs)),
    }
}

/// The last output on the context edge, or the last message of the history. Empty if there is neither.
fn last_message(handle: Option<&ContextHandle>, node_context: &NodeContext) -> Result<String, Fault> {
    let Some(handle) = handle else { return Ok(String::new()) };
    if let Some(output) = &handle.current_output {
        return Ok(as_text(output));
    }
    let context = node_context.context_manager(&handle.context_id)?.get();
    Ok(context.message_history.last().map(|message| message.content.text()).unwrap_or_default())
}

fn map_inputs(config: &Config, inputs: &Inputs) -> ChildInput {
    let mut child_input = ChildInput::default();
    for mapped in &config.mapping {
        let Some(datum) = inputs.datum(mapped.from.as_str()) else { continue };
        match mapped.target() {
            Some(MappingTarget::Text) => child_input.text = Some(as_text(&datum.value)),
            Some(MappingTarget::Port(node, port)) => {
                let ports = child_input.overrides.entry(node).or_default();
                ports.insert(port, Arc::<Value>::clone(&datum.value));
            }
            None => {}
        }
    }
    child_input
}
