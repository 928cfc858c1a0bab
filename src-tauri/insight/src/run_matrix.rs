//! What varies between many runs of one flow: a row for each output of a node, a column for each run.
//!
//! Nodes correspond by their ids: all runs are taken to be of one flow, such as the repeats of a test. The nodes of sub-flows stand
//! before the node that runs them, which ends after them.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use plait_core::id::{Activation, NodeId, PortName, RunId};
use plait_journal::view::{EpochView, RunStatus};
use plait_llm::models::{Cost, TokenUsage};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::comparison::{ComparedRun, ComparedTotals, LoadRun};
use crate::lineage::RecordedRun;

/// The most characters of a value that are kept.
const MAX_VALUE_CHARS: usize = 4_000;
/// How deep runs of sub-flows are followed. More are refused by the engine.
const MAX_DEPTH: usize = 64;

/// Many runs side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunMatrix {
    /// The columns.
    pub runs: Vec<MatrixRun>,
    /// The outputs of nodes, in the order in which the nodes ended in the first run that reached them.
    pub rows: Vec<MatrixRow>,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct MatrixRun {
    pub run: RunId,
    pub status: RunStatus,
    /// What it and the runs below it used.
    pub tokens: TokenUsage,
    pub cost: Cost,
    /// In milliseconds, without stops of a debugger and waits for a person. Nothing if it has not ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub duration_ms: Option<u64>,
}

/// An output of a node, or its error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct MatrixRow {
    /// The nodes whose sub-flows lead to it, from the outermost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<NodeId>>")]
    pub path: Vec<NodeId>,
    pub node: NodeId,
    /// Nothing for the row of the node's error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub port: Option<PortName>,
    /// The different values, in the order of the runs: texts as they are, all else as JSON; a list of a node that ran several times. Cut
    /// after 4,000 characters.
    pub values: Vec<String>,
    /// For each run, the place of its value in `values`; nothing where it has none.
    #[ts(type = "(number | null)[]")]
    pub cells: Vec<Option<usize>>,
    /// Whether not all runs have the same.
    pub varies: bool,
}

/// Puts runs side by side. Those of sub-flows are loaded with `load`; what can't be read is left out.
pub fn run_matrix(columns: Vec<ComparedRun>, load: LoadRun<'_>) -> RunMatrix {
    let column = |of: &ComparedRun| {
        let ComparedTotals { status, tokens, cost, duration_ms } = of.totals();
        MatrixRun { run: of.run.id().clone(), status, tokens, cost, duration_ms }
    };
    let runs = columns.iter().map(column).collect();
    let mut rows = Vec::new();
    let columns: Vec<_> = columns.into_iter().map(|of| vec![of.run]).collect();
    add_rows(&columns, &mut Vec::new(), load, &mut rows);
    RunMatrix { runs, rows }
}

/// Adds the rows of a flow: for each column, the runs of it in order. The node around a sub-flow may have run several times.
fn add_rows(
    columns: &[Vec<Arc<RecordedRun>>],
    path: &mut Vec<NodeId>,
    load: LoadRun<'_>,
    rows: &mut Vec<MatrixRow>,
) {
    let mut known = BTreeSet::new();
    for node in columns.iter().flatten().flat_map(|run| nodes_in_order(run)) {
        if !known.insert(node) {
            continue;
        }
        let of_columns: Vec<Vec<&EpochView>> =
            columns.iter().map(|runs| runs.iter().flat_map(|run| epochs_of(run, node)).collect()).collect();
        // Of several attempts, the last one counts.
        let below = |epochs: &Vec<&EpochView>| -> Vec<_> {
            epochs.iter().filter_map(|epoch| load(epoch.children.last()?)).collect()
        };
        let below: Vec<Vec<_>> = of_columns.iter().map(below).collect();
        if path.len() < MAX_DEPTH && below.iter().any(|runs| !runs.is_empty()) {
            path.push(node.clone());
            add_rows(&below, path, load, rows);
            path.pop();
        }
        rows.extend(rows_of(&of_columns, path, node));
    }
}

fn epochs_of<'r>(run: &'r RecordedRun, node: &NodeId) -> &'r [EpochView] {
    run.view().nodes.get(node).map(|view| &*view.epochs).unwrap_or_default()
}

/// The nodes of a run, as they ended for the last time.
fn nodes_in_order(run: &RecordedRun) -> Vec<&NodeId> {
    let ended = |node: &NodeId| {
        let epochs = epochs_of(run, node).iter();
        let at = |epoch: &EpochView| Activation { node: node.clone(), epoch: epoch.epoch.clone() };
        epochs.filter_map(|epoch| run.ended_at(&at(epoch))).max().unwrap_or(u64::MAX)
    };
    let mut nodes: Vec<&NodeId> = run.view().nodes.keys().collect();
    nodes.sort_by_cached_key(|node| (ended(node), NodeId::clone(node)));
    nodes
}

fn rows_of(of_columns: &[Vec<&EpochView>], path: &[NodeId], node: &NodeId) -> Vec<MatrixRow> {
    let all = || of_columns.iter().flatten();
    let ports: BTreeSet<&PortName> = all().flat_map(|epoch| epoch.outputs.keys()).collect();
    let row = |port: Option<&PortName>, value: &dyn Fn(&EpochView) -> Option<Value>| {
        let texts: Vec<_> = of_columns.iter().map(|epochs| text_of(epochs, value)).collect();
        row(path, node, port, &texts)
    };
    let is_context = |port: &PortName| {
        let value = |epoch: &&EpochView| {
            epoch.outputs.get(port).is_some_and(|value| value.get("contextId").is_some())
        };
        all().any(value)
    };
    let outputs = ports.into_iter().filter(|port| !is_context(port)).filter_map(|port| {
        row(Some(port), &|epoch| epoch.outputs.get(port).map(|value| Value::clone(value)))
    });
    let error = |epoch: &EpochView| {
        epoch.error.as_ref().map(|error| Value::String(format!("{} [{}]", error.message, error.code)))
    };
    outputs.chain(row(None, &error)).collect()
}

/// What a node's activations gave: the value of one, a list of several; nothing if none gave any.
fn text_of(epochs: &[&EpochView], value: &dyn Fn(&EpochView) -> Option<Value>) -> Option<String> {
    let mut values: Vec<Value> = epochs.iter().copied().filter_map(value).collect();
    let whole = if values.len() > 1 { Value::Array(values) } else { values.pop()? };
    Some(match whole {
        Value::String(text) => text,
        other => other.to_string(),
    })
}

/// A row, unless no run has a value.
fn row(
    path: &[NodeId],
    node: &NodeId,
    port: Option<&PortName>,
    texts: &[Option<String>],
) -> Option<MatrixRow> {
    let mut places: HashMap<&String, usize> = HashMap::new();
    let mut values: Vec<&String> = Vec::new();
    let mut cells = Vec::new();
    for text in texts {
        let place = text.as_ref().map(|text| {
            *places.entry(text).or_insert_with(|| {
                values.push(text);
                values.len() - 1
            })
        });
        cells.push(place);
    }
    if values.is_empty() {
        return None;
    }
    let varies = values.len() > 1 || cells.contains(&None);
    let values = values.into_iter().map(|text| text.chars().take(MAX_VALUE_CHARS).collect()).collect();
    Some(MatrixRow { path: path.to_vec(), node: node.clone(), port: port.cloned(), values, cells, varies })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use plait_journal::earlier_run::EarlierTree;
    use plait_testing::{FakeProvider, flow_of};
    use serde_json::json;

    use super::*;
    use crate::comparison::TreeUsage;
    use crate::test_runs::{host, info, run_to_end};

    #[test]
    fn what_varies_stands_in_rows_by_run() {
        let recorded = |name: &str, template: &str| {
            let flow = flow_of(
                &json!({
                    "list": { "type": "value", "config": { "value": ["a", "b"] } },
                    "each": { "type": "loop", "config": { "kind": "forEach" } },
                    "text": { "type": "text", "parent": "each", "config": { "template": template } },
                    "out": { "type": "output" },
                }),
                &[
                    "list.value -> each.items",
                    "each.item -> text.item",
                    "text.text -> each.next",
                    "each.results -> out.value",
                ],
                &json!({}),
            );
            let provider = Arc::new(FakeProvider::default());
            let journal = run_to_end(&flow, info(None, None), host(provider, EarlierTree::default()));
            Arc::new(RecordedRun::new(name.into(), &journal, Some(flow)))
        };
        let runs = [recorded("r1", "{{item}}"), recorded("r2", "{{item}}!"), recorded("r3", "{{item}}")];
        let column = |run| ComparedRun { run, used: TreeUsage::default() };
        let matrix = run_matrix(runs.into_iter().map(column).collect(), &|_| None);
        assert_eq!(matrix.runs.iter().map(|run| run.run.as_str()).collect::<Vec<_>>(), ["r1", "r2", "r3"]);
        let row = |node: &str| matrix.rows.iter().find(|row| row.node.as_str() == node).unwrap();
        let list = row("list");
        assert_eq!((list.varies, &list.cells[..]), (false, &[Some(0), Some(0), Some(0)][..]));
        let text = row("text");
        assert_eq!(text.values, [r#"["a","b"]"#, r#"["a!","b!"]"#]);
        assert_eq!((text.varies, &text.cells[..]), (true, &[Some(0), Some(1), Some(0)][..]));
        let at = |node: &str| matrix.rows.iter().position(|row| row.node.as_str() == node).unwrap();
        assert!(at("list") < at("text") && at("text") < at("out"), "{:#?}", matrix.rows);
    }
}
