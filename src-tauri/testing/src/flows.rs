//! Flows in short notation.

use serde_json::{Map, Value, json};

use plait_core::flow;
use plait_core::flow::Flow;

/// The flow with these nodes, as in a flow document, and with edges such as `a.out -> b.in`.
///
/// # Panics
///
/// If an edge is not of that form, or the document is invalid.
#[expect(clippy::panic, reason = "a test with a mistake in its flow is to fail")]
pub fn flow_of<E: AsRef<str>>(nodes: &Value, edges: &[E], settings: &Value) -> Flow {
    let edge = |edge: &str| {
        let (edge, order) =
            edge.split_once(" @").map_or((edge, None), |(edge, order)| (edge, order.parse::<i32>().ok()));
        let (from, to) = edge.split_once(" -> ")?;
        let ((source, output), (target, input)) = from.split_once('.').zip(to.split_once('.'))?;
        let mut edge =
            json!({ "source": source, "sourceOutput": output, "target": target, "targetInput": input });
        if let Some(order) = order {
            edge["order"] = order.into();
        }
        Some(edge)
    };
    let edges: Map<_, _> = edges
        .iter()
        .map(AsRef::as_ref)
        .enumerate()
        .map(|(at, text)| (format!("e{at:02}"), edge(text).unwrap_or_else(|| panic!("{text}"))))
        .collect();
    let document = json!({ "version": 1, "nodes": nodes, "edges": edges, "settings": settings });
    flow::read(&document.to_string()).unwrap_or_else(|error| panic!("{error:?}"))
}
