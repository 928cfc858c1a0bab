//! Checks of pins: whether a pinned node can deliver what its pin says.

use crate::codes;
use crate::node::BoundNode;
use plait_core::diagnostic::Diagnostic;
use plait_core::expression::schema::find_violations;
use plait_core::flow::{MAX_PIN_BYTES, Pin};
use plait_core::id::NodeId;
use plait_core::port::{OutputPort, PortKind};

/// The problems with the pin of a node.
pub(super) fn check_pin(id: &NodeId, pin: &Pin, node: &dyn BoundNode, diagnostics: &mut Vec<Diagnostic>) {
    let behavior = node.behavior();
    let outputs = &node.ports().outputs;
    let mut report = |code, below: &str, message: String, hint: &str| {
        diagnostics.push(Diagnostic::on_node(code, id, message).below("/pin").below(below).hint(hint));
    };
    let cannot = if behavior.inert || behavior.portal.is_some() {
        Some("it does not run")
    } else if behavior.makes_context {
        Some("it makes a context, which only a run has")
    } else if outputs.iter().all(|port| port.kind == PortKind::Tools) {
        Some("it outputs no value")
    } else {
        None
    };
    if let Some(why) = cannot {
        let message = format!("`{id}` can't be pinned: {why}.");
        return report(codes::PIN_NOT_POSSIBLE, "", message, "Unpin it. Disable the node to pass over it.");
    }
    if pin.outputs.is_empty() {
        let message = format!("The pin of `{id}` has no value, so nothing after it could run.");
        report(codes::PIN_EMPTY, "/outputs", message, "Give a value for an output, or unpin the node.");
    }
    if pin.is_too_large() {
        let message = format!("The values pinned on `{id}` are larger than {} KiB.", MAX_PIN_BYTES / 1024);
        let hint = "Pin a smaller value, or keep it in a file and read that with a node such as `readFile`.";
        report(codes::PIN_TOO_LARGE, "/outputs", message, hint);
    }
    let schemas = node.output_schemas();
    for (name, value) in pin.all_outputs().flatten() {
        let below = format!("/outputs/{}", plait_core::diagnostic::escape(name.as_str()));
        match outputs.iter().find(|port| port.name == *name) {
            None => {
                let message = format!("Node `{id}` has no output `{name}`, so it can't be pinned.");
                report(codes::PIN_UNKNOWN_PORT, &below, message, &known_outputs(outputs));
            }
            Some(port) if port.kind == PortKind::Tools => {
                let message = format!("Output `{name}` of `{id}` carries tools, which can't be pinned.");
                report(codes::PIN_NOT_POSSIBLE, &below, message, "Remove this output from the pin.");
            }
            Some(port) if port.kind == PortKind::Data && !port.value_type.holds(value) => {
                let message = format!(
                    "Output `{name}` of `{id}` gives {}, and its pin is something else.",
                    port.value_type
                );
                report(codes::PIN_WRONG_TYPE, &below, message, "Pin a value of this type.");
            }
            Some(_) => {
                let schema = schemas.iter().find(|(output, _)| *output == name.as_str());
                // A schema that is none is reported with the config.
                let violations = schema.map(|(_, schema)| find_violations(schema, value));
                if let Some(Ok(violations)) = violations.filter(|found| *found != Ok(Vec::new())) {
                    let message = format!(
                        "The value pinned on `{name}` of `{id}` does not match the schema of the config: {}.",
                        violations.join("; ")
                    );
                    report(codes::PIN_NOT_IN_SCHEMA, &below, message, "Pin a value that matches the schema.");
                }
            }
        }
    }
}

fn known_outputs(outputs: &[OutputPort]) -> String {
    let known: Vec<_> = outputs.iter().map(|port| format!("`{}`", port.name)).collect();
    format!("Its outputs are: {}.", known.join(", "))
}
