//! The measured flows: a loop and a cycle of the same nodes, a loop over a list, and a loop with a conversation.

use std::sync::Arc;

use plait_core::flow;
use plait_journal::InputOverrides;
use plait_run::plan::{Plan, plan};
use serde_json::{Value, json};

use crate::workload::{BenchError, registry_with_built_in};

/// A loop that passes a value on through two nodes, so many times.
pub fn times(iterations: u32) -> Result<Arc<Plan>, BenchError> {
    compile(
        &json!({
            "source": { "type": "source" },
            "loop": { "type": "loop", "config": { "kind": "times", "times": iterations, "max_iterations": iterations } },
            "a": { "type": "pass", "parent": "loop" },
            "b": { "type": "pass", "parent": "loop" },
            "after": { "type": "pass" },
        }),
        &[
            "source.out -> loop.input",
            "loop.previous -> a.in",
            "a.out -> b.in",
            "b.out -> loop.next",
            "loop.result -> after.in",
        ],
    )
}

/// The same two nodes in a cycle, which runs so many times.
pub fn cycle(iterations: u32) -> Result<Arc<Plan>, BenchError> {
    compile(
        &json!({
            "source": { "type": "source" },
            "a": { "type": "pass", "limits": { "maxEpochs": iterations } },
            "b": { "type": "pass" },
            "after": { "type": "pass" },
        }),
        &["source.out -> a.in", "a.out -> b.in", "b.out -> a.in", "b.out -> after.in"],
    )
}

/// A loop over a list of numbers, one node for each.
pub fn for_each(items: usize, concurrency: usize) -> Result<Arc<Plan>, BenchError> {
    let list: Vec<usize> = (0..items).collect();
    let config = json!({ "kind": "forEach", "concurrency": concurrency, "max_iterations": items });
    compile(
        &json!({
            "list": { "type": "value", "config": { "value": list } },
            "loop": { "type": "loop", "config": config },
            "body": { "type": "pass", "parent": "loop" },
            "after": { "type": "pass" },
        }),
        &[
            "list.value -> loop.items",
            "loop.item -> body.in",
            "body.out -> loop.next",
            "loop.results -> after.in",
        ],
    )
}

/// A loop with a conversation and one agent, which gets all of the history or, for comparison, none.
pub fn conversation(iterations: u32, use_history: bool) -> Result<Arc<Plan>, BenchError> {
    let config = json!({
        "kind": "times", "times": iterations, "max_iterations": iterations, "conversation": true,
        "history_management": { "max_tokens": u32::MAX },
    });
    let agent = json!({ "prompt": "Go on.", "use_history": use_history, "contextWindow": 100_000_000 });
    compile(
        &json!({
            "start": { "type": "contextStart", "config": { "provider": "parrot", "model": "parrot" } },
            "goal": { "type": "value", "config": { "value": "Plan." } },
            "loop": { "type": "loop", "config": config },
            "agent": { "type": "chat", "parent": "loop", "config": agent },
            "after": { "type": "pass" },
        }),
        &[
            "start.context -> loop.context",
            "goal.value -> loop.input",
            "loop.context -> agent.context",
            "agent.response -> loop.next",
            "loop.result -> after.in",
        ],
    )
}

fn compile(nodes: &Value, edges: &[&str]) -> Result<Arc<Plan>, BenchError> {
    let parse = |edge: &&str| {
        let (from, to) = edge.split_once(" -> ").ok_or("an edge has two ends")?;
        let ends = from.split_once('.').zip(to.split_once('.')).ok_or("an end has a port")?;
        let ((source, output), (target, input)) = ends;
        let ends =
            json!({ "source": source, "sourceOutput": output, "target": target, "targetInput": input });
        Ok::<_, BenchError>(((*edge).to_owned(), ends))
    };
    let edges = edges.iter().map(parse).collect::<Result<serde_json::Map<_, _>, _>>()?;
    let flow = flow::read(&json!({ "version": 1, "nodes": nodes, "edges": edges }).to_string())?;
    let plan = plan(&flow, &registry_with_built_in(), None, &InputOverrides::new())
        .map_err(|problems| format!("the benchmark's own flow is wrong: {problems:?}"))?;
    Ok(Arc::new(plan))
}
