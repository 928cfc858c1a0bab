//! A flow as the text that Plait wrote, of which each node is read when it is wanted: for readers that want few of its nodes. Finding the
//! nodes in the text takes a fraction of what reading them takes.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::OnceLock;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::read::read_written;
use super::{Flow, FlowSettings, Node, ReadError, VERSION};

/// A flow that is read node by node.
pub struct LazyFlow {
    text: String,
    /// The nodes in the order of their ids.
    nodes: Vec<LazyNode>,
    settings: FlowSettings,
    whole: OnceLock<Option<Box<Flow>>>,
}

/// Where the id and the value of a node stand in the text, and the node once it was read.
struct LazyNode {
    id: Range<usize>,
    value: Range<usize>,
    node: OnceLock<Option<Box<Node>>>,
}

impl LazyFlow {
    /// Takes the text of a flow that Plait wrote, for which [`read_written`] has no error. Of a text for which it has one, this finds only
    /// damaged JSON: a node that is no node is `None`. A flow of an earlier version is read at once.
    pub fn read_written(text: String) -> Result<Self, ReadError> {
        match find_parts(&text) {
            Some((nodes, settings)) => Ok(Self { text, nodes, settings, whole: OnceLock::new() }),
            None => read_written(&text).map(Self::from),
        }
    }

    pub fn settings(&self) -> &FlowSettings {
        &self.settings
    }

    pub fn node(&self, id: &str) -> Option<&Node> {
        if let Some(Some(flow)) = self.whole.get() {
            return flow.nodes.get(id);
        }
        let at = self.nodes.binary_search_by(|node| self.part(&node.id).cmp(id)).ok()?;
        let LazyNode { value, node, .. } = &self.nodes[at];
        node.get_or_init(|| serde_json::from_str(self.part(value)).ok()).as_deref()
    }

    /// All of it. `None` if it can't be read.
    pub fn whole(&self) -> Option<&Flow> {
        self.whole.get_or_init(|| read_written(&self.text).ok().map(Box::new)).as_deref()
    }

    fn part(&self, range: &Range<usize>) -> &str {
        self.text.get(range.clone()).unwrap_or_default()
    }
}

impl From<Flow> for LazyFlow {
    fn from(flow: Flow) -> Self {
        let settings = flow.settings.clone();
        let whole = OnceLock::from(Some(Box::new(flow)));
        Self { text: String::new(), nodes: Vec::new(), settings, whole }
    }
}

/// A flow without what is not read at once.
#[derive(Deserialize)]
struct Outline<'t> {
    version: u32,
    #[serde(borrow)]
    nodes: RawNodes<'t>,
    #[serde(default)]
    settings: FlowSettings,
}

/// The id and the value of each node.
struct RawNodes<'t>(Vec<(&'t str, &'t RawValue)>);

impl<'de: 't, 't> Deserialize<'de> for RawNodes<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RawNodesVisitor(PhantomData))
    }
}

struct RawNodesVisitor<'t>(PhantomData<&'t str>);

impl<'de: 't, 't> Visitor<'de> for RawNodesVisitor<'t> {
    type Value = RawNodes<'t>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nodes")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<RawNodes<'t>, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = entries.next_entry()? {
            nodes.push(node);
        }
        Ok(RawNodes(nodes))
    }
}

/// The places of the nodes in the text of a flow, and its settings. `None` for a flow of another version, one without nodes, one with an id
/// that has escapes, or one whose ids are not in order.
fn find_parts(text: &str) -> Option<(Vec<LazyNode>, FlowSettings)> {
    let Outline { version, nodes: RawNodes(nodes), settings } = serde_json::from_str(text).ok()?;
    let is_sorted = nodes.is_sorted_by(|(before, _), (after, _)| before < after);
    if version != VERSION || nodes.is_empty() || !is_sorted {
        return None;
    }
    let place = |part: &str| {
        let start = part.as_ptr().addr() - text.as_ptr().addr();
        start..start + part.len()
    };
    let node = |(id, value): (&str, &RawValue)| LazyNode {
        id: place(id),
        value: place(value.get()),
        node: OnceLock::new(),
    };
    Some((nodes.into_iter().map(node).collect(), settings))
}

#[cfg(test)]
mod tests;
