//! The inputs of a node that come from a template: each variable is an input, and each input's value a variable. But for
//! `hitl_history`, which is what people answered in the loop around the node.

use serde_json::{Map, Value};

use super::{Inputs, NodeContext};
use plait_core::expression::HITL_HISTORY;
use plait_core::expression::template::{Template, Variable};
use plait_core::port::{PortKind, PortType, Ports};

/// Adds an input for each variable of the template. A variable that is one of the node's own inputs makes that input
/// required, unless the template handles its absence.
pub fn add_inputs(mut ports: Ports, template: &Template) -> Ports {
    for variable in fed(template) {
        let existing = ports.inputs.iter_mut().find(|port| port.name.as_str() == variable.name);
        ports = match (existing, variable.optional) {
            (Some(port), optional) => {
                port.required |= !optional && port.kind == PortKind::Data;
                ports
            }
            (None, true) => ports.optional(&variable.name, PortKind::Data, PortType::Any, VARIABLE),
            (None, false) => ports.input(&variable.name, PortKind::Data, PortType::Any, VARIABLE),
        };
    }
    ports
}

const VARIABLE: &str = "A variable of the template";

/// Problems of a template at `pointer` of a config. `ports` are the node's ports with this config.
pub fn check(template: &Template, pointer: &str, ports: &Ports) -> Vec<(String, String)> {
    if let Some(problem) = template.problem() {
        return vec![(pointer.to_owned(), problem.to_string())];
    }
    let is_reserved = |name: &str| ports.find_input(name).is_some_and(|port| port.kind != PortKind::Data);
    let clashes = fed(template).filter(|variable| is_reserved(&variable.name));
    clashes
        .map(|variable| {
            let name = &variable.name;
            (
                pointer.to_owned(),
                format!("`{name}` is already an input of this node. Use another name for the variable."),
            )
        })
        .collect()
}

/// The values of a template's variables: the live inputs, and what people answered.
pub fn values(template: &Template, inputs: &Inputs, node_context: &NodeContext) -> Map<String, Value> {
    let live = template.variables().iter().filter_map(|variable| {
        let value = match variable.name.as_str() {
            HITL_HISTORY => Value::clone(&node_context.hitl_history()),
            name => inputs.get(name)?.clone(),
        };
        Some((variable.name.clone(), value))
    });
    live.collect()
}

/// The variables that are inputs.
fn fed(template: &Template) -> impl Iterator<Item = &Variable> {
    template.variables().iter().filter(|variable| variable.name != HITL_HISTORY)
}
