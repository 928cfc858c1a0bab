//! Values of n8n's nodes as Plait's nodes read them: queries on a value, and what programs return.

use serde_json::json;

use super::super::builder::Output;
use super::super::jq;
use super::{Reader, Shape};
use plait_core::id::NodeId;

impl Reader<'_> {
    /// Adds a query on a value.
    pub(super) fn query(&mut self, at: usize, what: &str, query: &str, input: &Shape) -> Output {
        let node = &self.workflow.nodes[at];
        let base = jq::path(&input.base);
        let query = if input.base.is_empty() { query.to_owned() } else { format!("{base} | {query}") };
        let title = format!("{}: {what}", node.name);
        let place = node.at.beside(-0.5, 1.0);
        let id = self.builder.add(node.name, &title, "json", json!({ "query": query }), place);
        self.builder.connect(&input.output, &id, "value");
        Output::new(&id, "result")
    }

    /// A value as the JSON of an item.
    pub(super) fn as_object(&mut self, at: usize, shape: &Shape) -> Output {
        if shape.main_field().is_empty() && shape.base.is_empty() {
            return shape.output.clone();
        }
        if shape.is_chat_message() {
            return self.query(at, "item", "{\"action\": \"sendMessage\", \"chatInput\": .}", shape);
        }
        let field = shape.main_field().iter().rev();
        let query = field.fold(".".to_owned(), |inner, step| format!("{{{}: {inner}}}", json!(step)));
        self.query(at, "item", &query, shape)
    }

    /// The items that a program returns. Without one, what follows is skipped.
    pub(super) fn items_of(&mut self, at: usize, program: &NodeId) -> Shape {
        self.primary = Some(program.clone());
        let items = Shape::object(Output::new(program, "result"));
        let query = if self.always_outputs(at) {
            "if . == [] or . == null then {} else . end"
        } else {
            "select(. != [] and . != null)"
        };
        Shape::object(self.query(at, "items", query, &items))
    }

    /// Whether a node goes on with an empty item where it has none.
    pub(super) fn always_outputs(&self, at: usize) -> bool {
        self.workflow.nodes[at].json.get("alwaysOutputData") == Some(&json!(true))
    }
}
