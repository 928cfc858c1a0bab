//! What follows when a node fails, where the workflow goes on then: on an output of its own, or on the ordinary one.

use serde_json::{Value, json};

use super::super::builder::Output;
use super::{Reader, Shape};
use plait_core::id::NodeId;
use plait_core::port::ERROR_PORT;

impl Reader<'_> {
    /// Leads the error of a node on, as its settings say. The last output of a node with an output for errors is that one.
    pub(super) fn continue_after_errors(&mut self, at: usize, primary: &NodeId) {
        let node = &self.workflow.nodes[at];
        let mode = node.json.get("onError").and_then(Value::as_str);
        let continues = mode.is_some_and(|mode| mode != "stopWorkflow")
            || node.json.get("continueOnFail") == Some(&Value::Bool(true));
        if !continues || self.builder.is_placeholder(primary) || !self.builder.has_error_output(primary) {
            return;
        }
        // The message is also found where newer versions have an object.
        let error = Shape {
            output: Output::new(primary, ERROR_PORT),
            base: vec!["message".to_owned()],
            fields: vec![vec!["error".to_owned(), "message".to_owned()]],
        };
        let regular = self.shapes[at].iter().position(Option::is_some);
        if mode == Some("continueErrorOutput") {
            let count = regular.map_or(1, |_| self.shapes[at].len());
            let outputs = self.workflow.outgoing(at).filter(|edge| edge.is_main()).map(|edge| edge.output);
            let last = outputs.max().unwrap_or(count).max(1);
            self.shapes[at].resize((last + 1).max(count), None);
            self.shapes[at][last] = Some(error);
            return;
        }
        let Some(regular) = regular else { return };
        let Some(done) = self.shapes[at][regular].clone() else { return };
        let (done, error) = (self.as_object(at, &done), self.as_object(at, &error));
        let title = format!("{}: done or failed", node.name);
        let join = self.builder.add(node.name, &title, "join", json!({}), node.at.beside(0.5, 1.0));
        self.builder.connect(&done, &join, "values");
        self.builder.connect(&error, &join, "values");
        self.shapes[at][regular] = Some(Shape::object(Output::new(&join, "first")));
    }
}
