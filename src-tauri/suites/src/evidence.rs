//! A run tree as checks see it.

use std::collections::BTreeMap;
use std::sync::Arc;

use plait_core::expression::as_text;
use plait_core::id::{Activation, NodeId};
use plait_insight::comparison::LoadRun;
use plait_insight::lineage::RecordedRun;
use plait_journal::view::{EpochView, ModelCallView};
use plait_llm::models::{Cost, TokenUsage};
use serde_json::Value;

/// How deep runs of sub-flows are followed. More are refused by the engine.
const MAX_DEPTH: usize = 64;
/// The largest output that a result keeps whole.
const MAX_KEPT_OUTPUT_BYTES: usize = 64 * 1024;

/// A run and the runs below it.
pub struct Evidence {
    runs: Vec<(Vec<NodeId>, Arc<RecordedRun>)>,
}

/// An activation with its place in the tree.
pub(crate) struct Placed<'e> {
    pub(crate) run: &'e RecordedRun,
    pub(crate) at: Activation,
    pub(crate) view: &'e EpochView,
}

impl Evidence {
    /// Of a root. What can't be loaded is left out.
    pub fn of(root: Arc<RecordedRun>, load: LoadRun<'_>) -> Self {
        let mut runs = vec![(Vec::new(), root)];
        let mut next = 0;
        while let Some((path, run)) = runs.get(next).cloned() {
            next += 1;
            let epochs = run
                .view()
                .nodes
                .iter()
                .flat_map(|(id, node)| node.epochs.iter().map(move |epoch| (id, epoch)));
            for (id, epoch) in epochs.filter(|_| path.len() < MAX_DEPTH) {
                // Of several attempts, the last one counts.
                if let Some(child) = epoch.children.last().and_then(load) {
                    runs.push((path.iter().chain([id]).cloned().collect(), child));
                }
            }
        }
        Self { runs }
    }

    pub fn root(&self) -> &RecordedRun {
        // There is always one: `of` begins with it.
        &self.runs[0].1
    }

    /// The activations of a node, `NODE` or `SUBFLOW/NODE`, in the order of their epochs.
    pub(crate) fn activations(&self, name: &str) -> Vec<Placed<'_>> {
        let mut found = Vec::new();
        for (path, run) in &self.runs {
            let node =
                path.iter().try_fold(name, |rest, step| rest.strip_prefix(step.as_str())?.strip_prefix('/'));
            let Some((id, node)) = node.and_then(|node| run.view().nodes.get_key_value(node)) else {
                continue;
            };
            found.extend(node.epochs.iter().map(|view| {
                let at = Activation { node: id.clone(), epoch: view.epoch.clone() };
                Placed { run, at, view }
            }));
        }
        found
    }

    /// An output, by `NODE.PORT`; the only one of the run without a name. The error says what there is instead.
    pub fn output(&self, name: Option<&str>) -> Result<Arc<Value>, String> {
        let Some(name) = name else { return self.only_output() };
        let (node, port) =
            name.rsplit_once('.').ok_or_else(|| format!("`{name}` is no output: write `NODE.PORT`."))?;
        let activations = self.activations(node);
        let last = activations.iter().rev().find_map(|placed| placed.view.outputs.get(port));
        last.cloned().ok_or_else(|| match activations.len() {
            0 => format!("The run did not get to a node `{node}`."),
            _ => format!("`{node}` gave no output `{port}`."),
        })
    }

    fn only_output(&self) -> Result<Arc<Value>, String> {
        let outputs = &self.root().view().outline.outputs;
        let all: Vec<(String, &Arc<Value>)> = outputs
            .iter()
            .flat_map(|(node, ports)| {
                ports.iter().map(move |(port, value)| (format!("{node}.{port}"), value))
            })
            .collect();
        match &*all {
            [(_, value)] => Ok(Arc::clone(value)),
            [] => Err("The run has no outputs: name one as `NODE.PORT`.".to_owned()),
            several => {
                let names: Vec<&str> = several.iter().map(|(name, _)| name.as_str()).collect();
                Err(format!("The run has several outputs ({}): name one.", names.join(", ")))
            }
        }
    }

    /// The outputs of the run, by `NODE.PORT`, as results keep them. One of more than 64 KB is cut and says so.
    pub fn outputs(&self) -> BTreeMap<String, Value> {
        let nodes = self.root().view().outline.outputs.iter();
        let outputs = nodes.flat_map(|(node, ports)| {
            ports.iter().map(move |(port, value)| (format!("{node}.{port}"), kept(value)))
        });
        outputs.collect()
    }

    /// All activations of the tree.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&[NodeId], &NodeId, &EpochView)> {
        self.runs.iter().flat_map(|(path, run)| {
            let nodes = run.view().nodes.iter();
            nodes.flat_map(move |(id, node)| node.epochs.iter().map(move |view| (&path[..], id, view)))
        })
    }

    fn calls(&self) -> impl Iterator<Item = &ModelCallView> {
        self.all().flat_map(|(_, _, view)| &view.calls)
    }

    /// What the model calls used, those of a recording included.
    pub fn tokens(&self) -> TokenUsage {
        self.calls().filter_map(|call| call.reply.as_ref()?.usage).fold(
            TokenUsage::default(),
            |mut sum, usage| {
                sum += usage;
                sum
            },
        )
    }

    /// What they cost.
    pub fn cost(&self) -> Cost {
        self.calls().map(ModelCallView::bought_cost).sum()
    }

    /// How long the run took, in milliseconds, without waits for people, stops and interruptions.
    pub fn duration_ms(&self) -> u64 {
        self.root().view().worked_ms().unwrap_or_default()
    }
}

fn kept(value: &Value) -> Value {
    let text = as_text(value);
    if text.len() <= MAX_KEPT_OUTPUT_BYTES {
        return value.clone();
    }
    let end = text.floor_char_boundary(MAX_KEPT_OUTPUT_BYTES);
    Value::from(format!("{}… ({} bytes)", &text[..end], text.len()))
}
