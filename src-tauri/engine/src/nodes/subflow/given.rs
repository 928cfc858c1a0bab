//! What a child is given: a text, and values for its inputs. Nothing of the parent goes in but what is taken here.

use std::sync::Arc;

use serde_json::Value;

use super::VALUE;
use super::config::{Config, InputSource, Place};
use crate::context::ContextHandle;
use crate::error::Fault;
use crate::expression::as_text;
use crate::journal::InputOverrides;
use crate::node::{Inputs, NodeContext};

/// What a child is given.
#[derive(Default)]
pub(super) struct GivenChild {
    /// Nothing where no text is meant for it: what is set in the child then holds.
    pub(super) input: Option<String>,
    pub(super) set: InputOverrides,
}

/// What the child of this execution is given.
pub(super) fn given(
    config: &Config,
    inputs: &Inputs,
    handle: Option<&ContextHandle>,
    cx: &NodeContext,
) -> Result<GivenChild, Fault> {
    match config.input_source {
        InputSource::LastMessage => {
            Ok(GivenChild { input: Some(last_message(handle, cx)?), ..GivenChild::default() })
        }
        InputSource::NodeOutput => {
            Ok(GivenChild { input: Some(inputs.text(VALUE).unwrap_or_default()), ..GivenChild::default() })
        }
        InputSource::Mapping => Ok(mapped(config, inputs)),
    }
}

/// What the node before said on the context edge, else the last message of the history; nothing where nobody has said
/// anything.
fn last_message(handle: Option<&ContextHandle>, cx: &NodeContext) -> Result<String, Fault> {
    let Some(handle) = handle else { return Ok(String::new()) };
    if let Some(said) = &handle.current_output {
        return Ok(as_text(said));
    }
    let context = cx.context_manager(&handle.context_id)?.get();
    Ok(context.message_history.last().map(|message| message.content.text()).unwrap_or_default())
}

fn mapped(config: &Config, inputs: &Inputs) -> GivenChild {
    let mut given = GivenChild::default();
    for mapped in &config.mapping {
        let Some(datum) = inputs.datum(mapped.from.as_str()) else { continue };
        match mapped.place() {
            Some(Place::Text) => given.input = Some(as_text(&datum.value)),
            Some(Place::Port(node, port)) => {
                given.set.entry(node).or_default().insert(port, Arc::<Value>::clone(&datum.value));
            }
            None => {}
        }
    }
    given
}
