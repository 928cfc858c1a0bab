//! The shape of a `flow.dag.yaml`: nodes that read inputs of the flow and outputs of each other.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::super::graph::text as text_of;

/// A node, as its default variant is.
pub(super) struct DagNode<'v> {
    pub(super) name: &'v str,
    pub(super) kind: &'v str,
    pub(super) json: &'v Value,
    /// When it runs, if not always: a value, and what it must be.
    pub(super) activate: Option<(&'v Value, &'v Value)>,
    /// The variants that are not taken.
    pub(super) other_variants: Vec<&'v str>,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reference<'v> {
    Input(&'v str),
    /// The output of a node, and where in it.
    Node(&'v str, Vec<String>),
}

impl<'v> DagNode<'v> {
    pub(super) fn read(json: &'v Value, variants: &'v Value) -> Option<Self> {
        let name = Some(text_of(json, "name")).filter(|name| !name.is_empty())?;
        let own = variants.get(name).filter(|_| json.get("use_variants") == Some(&Value::Bool(true)));
        let default = own.map(|own| text_of(own, "default_variant_id")).unwrap_or_default();
        let all = own.and_then(|own| own.get("variants")).and_then(Value::as_object);
        let taken = all.and_then(|all| all.get(default)?.get("node"));
        let condition = |json: &'v Value| {
            let activate = json.get("activate")?;
            Some((activate.get("when")?, activate.get("is").unwrap_or(&Value::Null)))
        };
        let chosen = taken.unwrap_or(json);
        Some(Self {
            name,
            kind: text_of(chosen, "type"),
            json: chosen,
            activate: condition(chosen).or_else(|| condition(json)),
            other_variants: all
                .into_iter()
                .flat_map(Map::keys)
                .map(String::as_str)
                .filter(|variant| *variant != default)
                .collect(),
        })
    }

    pub(super) fn inputs(&self) -> impl Iterator<Item = (&'v String, &'v Value)> {
        self.json.get("inputs").and_then(Value::as_object).into_iter().flatten()
    }

    /// The file that it is written in.
    pub(super) fn file(&self) -> Option<&'v str> {
        self.json.pointer("/source/path").and_then(Value::as_str)
    }

    /// The names of what it reads, each with the name of the input; that of its condition is empty.
    pub(super) fn references(&self) -> impl Iterator<Item = (&'v str, Reference<'v>)> {
        let condition = self.activate.map(|(when, _)| ("", when));
        let inputs = self.inputs().map(|(name, value)| (name.as_str(), value));
        inputs.chain(condition).filter_map(|(name, value)| Some((name, reference(value)?)))
    }
}

/// The value that a text such as `${node.output.field}` stands for. Any other value is what it is.
pub(super) fn reference(value: &Value) -> Option<Reference<'_>> {
    let inner = value.as_str()?.trim().strip_prefix("${")?.strip_suffix('}')?;
    let (name, rest) = inner.split_once('.')?;
    if name == "inputs" {
        return Some(Reference::Input(rest));
    }
    let rest = rest.strip_prefix("output")?;
    (rest.is_empty() || rest.starts_with(['.', '['])).then(|| Reference::Node(name, steps(rest)))
}

/// The steps of a path such as `.a[0]['b c']`.
fn steps(path: &str) -> Vec<String> {
    let parts = path.split(['.', '[', ']']).map(|step| step.trim_matches(['\'', '"']));
    parts.filter(|step| !step.is_empty()).map(str::to_owned).collect()
}

/// The nodes in an order with each behind what it reads, and how many others lead to each. Nodes of a cycle are last.
pub(super) fn ordered(nodes: &[DagNode<'_>]) -> Vec<(usize, usize)> {
    let by_name: HashMap<&str, usize> = nodes.iter().enumerate().map(|(at, node)| (node.name, at)).collect();
    let mut waits = vec![0_usize; nodes.len()];
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (at, node) in nodes.iter().enumerate() {
        for (_, reference) in node.references() {
            if let Reference::Node(name, _) = reference
                && let Some(&source) = by_name.get(name)
            {
                waits[at] += 1;
                next[source].push(at);
            }
        }
    }
    let mut depths = vec![0_usize; nodes.len()];
    let mut order: Vec<usize> = (0..nodes.len()).filter(|&at| waits[at] == 0).collect();
    let mut done = 0;
    while let Some(&at) = order.get(done) {
        done += 1;
        for &after in &next[at] {
            depths[after] = depths[after].max(depths[at] + 1);
            waits[after] -= 1;
            if waits[after] == 0 {
                order.push(after);
            }
        }
    }
    order.extend((0..nodes.len()).filter(|&at| waits[at] > 0));
    order.into_iter().map(|at| (at, depths[at])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn texts_with_more_than_a_reference_are_constants() {
        let path = |steps: &[&str]| steps.iter().map(|&step| step.to_owned()).collect::<Vec<_>>();
        assert_eq!(reference(&json!("${inputs.url}")), Some(Reference::Input("url")));
        assert_eq!(reference(&json!("${a.output}")), Some(Reference::Node("a", vec![])));
        assert_eq!(
            reference(&json!("${a.output.x[0]['b c']}")),
            Some(Reference::Node("a", path(&["x", "0", "b c"])))
        );
        for text in ["${a.logs}", "${inputs}", "Say ${a.output}", "${a.outputs}", "a"] {
            assert_eq!(reference(&json!(text)), None, "{text}");
        }
        assert_eq!(reference(&json!(5)), None);
    }
}
