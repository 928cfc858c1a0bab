//! How a node's template meets its ports: each variable is an input, and each input's value a variable.

use serde_json::{Map, Value};

use super::Inputs;
use crate::expression::template::Template;
use crate::port::{PortKind, PortType, Ports};

/// Adds an input for each variable that is not one of the node's inputs already. One that is becomes required, unless
/// the template says what to do without it.
pub(crate) fn add_inputs(mut ports: Ports, template: &Template) -> Ports {
    for variable in template.variables() {
        let known = ports.inputs.iter_mut().find(|port| port.name.as_str() == variable.name);
        ports = match (known, variable.optional) {
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

/// What is wrong with a template at `pointer` of a config whose ports, with it, are `ports`.
pub(crate) fn check(template: &Template, pointer: &str, ports: &Ports) -> Vec<(String, String)> {
    if let Some(problem) = template.problem() {
        return vec![(pointer.to_owned(), problem.to_string())];
    }
    let taken = |name: &str| ports.find_input(name).is_some_and(|port| port.kind != PortKind::Data);
    let clashes = template.variables().iter().filter(|variable| taken(&variable.name));
    clashes
        .map(|variable| {
            let name = &variable.name;
            (
                pointer.to_owned(),
                format!("`{name}` is an input of its own on this node; call the variable something else."),
            )
        })
        .collect()
}

/// The live inputs that a template names.
pub(crate) fn values(template: &Template, inputs: &Inputs) -> Map<String, Value> {
    let live = template.variables().iter().filter_map(|variable| {
        let value = inputs.get(&variable.name)?;
        Some((variable.name.clone(), value.clone()))
    });
    live.collect()
}
