//! The key `after` of steps: what edges into the input `after` become.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Raising;
use crate::pipeline::lower::END_SUFFIX;
use crate::pipeline::tree::Tree;
use plait_core::id::NodeId;
use plait_core::port::AFTER_PORT;

impl Raising<'_> {
    /// By step, the value of its key `after`.
    pub(super) fn after(&self) -> BTreeMap<String, Tree> {
        let mut names: BTreeMap<&NodeId, BTreeSet<&str>> = BTreeMap::new();
        for edge in self.flow.edges.values().filter(|edge| edge.target_input.as_str() == AFTER_PORT) {
            names.entry(&edge.target).or_default().insert(self.step_of(&edge.source));
        }
        let value = |names: &BTreeSet<&str>| match names.first() {
            Some(name) if names.len() == 1 => Value::from(*name),
            _ => names.iter().copied().collect(),
        };
        names.iter().map(|(id, names)| (id.as_str().to_owned(), Tree::Leaf(value(names)))).collect()
    }

    /// The step whose output a node gives: the `join` behind a `conditional` stands for that.
    fn step_of<'n>(&'n self, id: &'n NodeId) -> &'n str {
        let name = self.renamed.get(id).unwrap_or(id).as_str();
        name.strip_suffix(END_SUFFIX).filter(|_| self.node_type(id) == "join").unwrap_or(name)
    }
}

/// A step with the key `after` of it and of the steps in it, behind its name and title.
pub(super) fn with_after(step: Tree, after: &BTreeMap<String, Tree>) -> Tree {
    let own = step.name().and_then(|name| after.get(name)).filter(|_| step.get("kind").is_some()).cloned();
    match step {
        Tree::Map(entries) => {
            let mut entries: Vec<_> =
                entries.into_iter().map(|(key, value)| (key, with_after(value, after))).collect();
            if let Some(own) = own {
                let is_head = |(key, _): &(String, Tree)| ["kind", "name", "title"].contains(&key.as_str());
                let place = entries.iter().take_while(|entry| is_head(entry)).count();
                entries.insert(place, ("after".to_owned(), own));
            }
            Tree::Map(entries)
        }
        Tree::Steps(steps) => Tree::Steps(steps.into_iter().map(|step| with_after(step, after)).collect()),
        leaf @ Tree::Leaf(_) => leaf,
    }
}
