//! Branches by the rules of another tool: a program finds the way that is taken, and a switch has an output for each.

use serde_json::{Value, json};

use super::builder::{FlowBuilder, Output};
use super::point::Point;
use plait_core::id::NodeId;

/// The name of an input of a program among several.
fn input_name(index: usize) -> String {
    format!("v{index}")
}

/// The values that a program reads, each once.
#[derive(Default)]
pub(super) struct ProgramInputs {
    outputs: Vec<Output>,
}

impl ProgramInputs {
    /// A value in JavaScript; undefined where it is missing.
    pub(super) fn read(&mut self, output: &Output, path: &[String]) -> String {
        let known = self.outputs.iter().position(|known| known == output);
        let index = known.unwrap_or_else(|| {
            self.outputs.push(output.clone());
            self.outputs.len() - 1
        });
        path.iter()
            .fold(format!("input.{}", input_name(index)), |value, step| format!("{value}?.[{}]", json!(step)))
    }

    pub(super) fn outputs(&self) -> &[Output] {
        &self.outputs
    }
}

/// Adds a program that returns the name of a way, and a switch with an output for each name; `default` is for all others. Returns the
/// switch.
pub(super) fn add_ways(
    builder: &mut FlowBuilder,
    (source, title, at): (&str, &str, Point),
    code: &str,
    inputs: &ProgramInputs,
    names: &[String],
) -> NodeId {
    let place = at.beside(-0.5, 1.0);
    let program =
        builder.add(source, &format!("{title}: conditions"), "code", json!({ "code": code }), place);
    if !inputs.outputs.is_empty() {
        let ports: Vec<String> = (0..inputs.outputs.len()).map(input_name).collect();
        let config = json!({ "names": ports });
        let join = builder.add(source, &format!("{title}: values"), "join", config, place.beside(-0.5, 1.0));
        for (output, port) in inputs.outputs.iter().zip(&ports) {
            builder.connect(output, &join, port);
        }
        builder.connect(&Output::new(&join, "object"), &program, "input");
    }
    let cases: Vec<Value> = names.iter().map(|name| json!({ "name": name, "equals": name })).collect();
    let switch = builder.add(source, title, "switch", json!({ "cases": cases }), at);
    builder.connect(&Output::new(&program, "result"), &switch, "value");
    switch
}
