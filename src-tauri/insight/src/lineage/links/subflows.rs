//! What passes between a run and its child runs.

use std::collections::BTreeMap;

use plait_core::expression::as_text;
use plait_core::id::{Activation, NodeId, PortName, RunId};
use plait_journal::view::RunOutline;
use serde_json::Value;

use super::super::json_text::{pairs, part};
use super::super::{Lineage, LineagePlace, LineageSource, LineageSpot, RecordedRun};
use super::templates::CURRENT_OUTPUT;
use super::{At, Link, Origin, copies, fill, swap};

impl Lineage<'_> {
    /// The results of a child run.
    pub(super) fn subflow_links(&self, at: At<'_>, port: &PortName) -> Vec<Link> {
        let child = at.run.epoch(at.activation).and_then(|epoch| epoch.children.last().cloned());
        let Some((child, run)) = child.and_then(|child| Some((child.clone(), self.run(&child)?))) else {
            return self.any_links(at);
        };
        let results = results_of(run.outline());
        let place = |node: &NodeId, port: &PortName| result_place(&run, &child, node, port);
        let engine = Origin::Source(LineageSource::Engine);
        if port.as_str() == "result" {
            let Some(own) = self.value(&at.place(LineageSpot::output(at.activation, port.clone()))) else {
                return self.any_links(at);
            };
            let parts = results.iter().filter_map(|(node, port)| {
                part(&own, &[node.to_string(), port.to_string()])?;
                Some((vec![node.to_string(), port.to_string()], place(node, port)?))
            });
            let parts: Vec<_> = parts.collect();
            let members = own.as_object().into_iter().flat_map(|nodes| nodes.values());
            let count: usize = members.filter_map(|ports| ports.as_object()).map(serde_json::Map::len).sum();
            let rest = if parts.len() == count { engine } else { Origin::Source(LineageSource::Unknown) };
            return self.composed(at, &own, parts, &rest);
        }
        let texts: Option<Vec<LineagePlace>> =
            text_results(run.outline()).iter().map(|(node, port)| place(node, port)).collect();
        let Some(texts) = texts else { return self.any_links(at) };
        let mut text = String::new();
        let mut links = Vec::new();
        for (index, place) in texts.iter().enumerate() {
            if index > 0 {
                text.push_str("\n\n");
            }
            let own = self.text(place).unwrap_or_default();
            links.extend(copies(vec![(text.len()..text.len() + own.len(), 0..own.len())], place));
            text.push_str(&own);
        }
        if text == at.text { fill(links, text.len(), &engine) } else { self.any_links(at) }
    }

    /// What was given to a run when it started: by a person, or by the activation whose child it is.
    pub(super) fn given_links(&self, run: &RecordedRun, spot: &LineageSpot, text: &str) -> Vec<Link> {
        let parent = run.outline().parent_run_id.as_ref().and_then(|parent| self.run(parent));
        let Some(parent) = parent else {
            return super::whole(text, Origin::Source(LineageSource::RunInput));
        };
        let Some(activation) = parent.parent_of(&run.id) else {
            return super::whole(text, Origin::Source(LineageSource::Unknown));
        };
        let at = At { run: &parent, activation, text };
        for (place, path) in child_sources(at, spot) {
            let value = self.value(&place);
            let found = value.as_ref().and_then(|value| part(value, &path).map(as_text));
            if let (Some(value), true) = (&value, found.as_deref() == Some(text)) {
                return copies(swap(pairs(value, &path)), &place);
            }
        }
        self.any_links(at)
    }
}

/// The inputs of a `subflow` node that may be the input of its child, each with the path to the text.
fn child_sources(at: At<'_>, spot: &LineageSpot) -> Vec<(LineagePlace, Vec<String>)> {
    let node = at.run.node(&at.activation.node);
    let mapping = node.and_then(|node| node.config.get("mapping")?.as_array().cloned()).unwrap_or_default();
    let target = match spot {
        LineageSpot::Set { node, port } => format!("{node}.{port}"),
        _ => "input".to_owned(),
    };
    let mapped = mapping.iter().filter(|mapped| mapped.get("to").and_then(Value::as_str) == Some(&target));
    let mapped = mapped.filter_map(|mapped| Some(mapped.get("from")?.as_str()?.to_owned()));
    let mut sources: Vec<(LineagePlace, Vec<String>)> =
        mapped.map(|from| (at.input(&from, 0), Vec::new())).collect();
    if *spot == LineageSpot::RunInput {
        sources.push((at.input("value", 0), Vec::new()));
        sources.push((at.input("context", 0), vec![CURRENT_OUTPUT.to_owned()]));
    }
    sources
}

/// The outputs of a run that its parent gets, in order.
fn results_of(outline: &RunOutline) -> Vec<(NodeId, PortName)> {
    let ports = outline
        .outputs
        .iter()
        .flat_map(|(node, ports)| ports.keys().map(|port| (node.clone(), port.clone())));
    ports.collect()
}

/// Those of them that are a part of the text.
fn text_results(outline: &RunOutline) -> Vec<(NodeId, PortName)> {
    let mut found = Vec::new();
    for (node, ports) in &outline.outputs {
        let is_handle = |port: &PortName, value: &Value| {
            port.as_str() == "context" && value.get("contextId").is_some_and(Value::is_string)
        };
        let values: BTreeMap<_, _> = ports.iter().filter(|(port, value)| !is_handle(port, value)).collect();
        let has_text = values.values().any(|value| value.is_string());
        let texts = values.iter().filter(|(_, value)| !has_text || value.is_string());
        found.extend(texts.map(|(port, _)| (node.clone(), (*port).clone())));
    }
    found
}

/// The output whose value is a result of a run: that of the latest activation with this value.
pub(in crate::lineage) fn result_place(
    run: &RecordedRun,
    id: &RunId,
    node: &NodeId,
    port: &PortName,
) -> Option<LineagePlace> {
    let value = run.outline().outputs.get(node)?.get(port)?;
    let epoch = run.epochs(node).into_iter().rev().find(|epoch| epoch.outputs.get(port) == Some(value))?;
    let activation = Activation { node: node.clone(), epoch: epoch.epoch.clone() };
    Some(LineagePlace { run: id.clone(), spot: LineageSpot::output(&activation, port.clone()) })
}
