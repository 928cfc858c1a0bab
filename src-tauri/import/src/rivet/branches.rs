//! Branches: values that are passed on to one of several outputs.

use serde_json::{Value, json};

use super::super::builder::Output;
use super::super::settings::Settings;
use super::Reader;

impl Reader<'_> {
    /// `if`: passes its value on to one of two outputs.
    pub(super) fn condition(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        settings.ignore("/unconnectedControlFlowExcluded");
        let Some(object) = self.object(at) else {
            self.placeholder(at, "Nothing feeds it.");
            return;
        };
        let query = ". + {yes: ((.if // false) as $x | ($x != false and $x != \"\" and $x != \"false\" and $x != [] and $x != 0))}";
        let title = format!("{}: test", node.title);
        let test =
            self.builder.add(&node.key, &title, "json", json!({ "query": query }), node.at.beside(-0.5, 1.0));
        self.builder.connect(&object, &test, "value");
        let cases = json!({ "cases": [{ "name": "true", "when": "value.yes" }] });
        let id = self.builder.add(&node.key, node.title, "switch", cases, node.at);
        self.builder.connect(&Output::new(&test, "result"), &id, "value");
        let value = vec!["value".to_owned()];
        self.values.insert((at, "output".to_owned()), (Output::new(&id, "true"), value.clone()));
        self.values.insert((at, "falseOutput".to_owned()), (Output::new(&id, "default"), value));
    }

    pub(super) fn match_node(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        let Some(object) = self.object(at) else {
            self.placeholder(at, "Nothing feeds it.");
            return;
        };
        let has_value = self.graph.edges_into(at, "value").next().is_some();
        settings.ignore_all(&["/caseNames", "/exclusive"]);
        let cases: Vec<Value> = settings
            .items("/cases")
            .iter()
            .enumerate()
            .map(|(index, case)| {
                let pattern = json!(case.as_str().unwrap_or_default());
                json!({ "name": format!("case{}", index + 1), "when": format!("value.input.matches({pattern})") })
            })
            .collect();
        if cases.is_empty() {
            self.placeholder(at, "It has no cases.");
            return;
        }
        let path = vec![if has_value { "value" } else { "input" }.to_owned()];
        let count = cases.len();
        let id = self.builder.add(&node.key, node.title, "switch", json!({ "cases": cases }), node.at);
        self.builder.connect(&object, &id, "value");
        for index in 1..=count {
            let name = format!("case{index}");
            self.values.insert((at, name.clone()), (Output::new(&id, &name), path.clone()));
        }
        self.values.insert((at, "unmatched".to_owned()), (Output::new(&id, "default"), path));
    }
}
