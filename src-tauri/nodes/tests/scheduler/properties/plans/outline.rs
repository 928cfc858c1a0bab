//! Formats a plan as a few lines of text.

use plait_core::flow::Flow;
use plait_journal::InputOverrides;
use plait_run::plan;
use plait_run::plan::{Plan, PlanNode};

use crate::nodes::registry;
use crate::notation::flow;

/// A plan as text: the nodes in plan order, each cycle's back edges, and who takes turns in a shared context. `node#c` is in the cycle entered at `c`;
/// `node~c` follows it. Then the diagnostics.
pub fn outline_of(text: &str) -> String {
    let flow = flow(text);
    let mut outline = match plan::plan(&flow, registry(), None, &InputOverrides::new()) {
        Ok(plan) => write(&plan),
        Err(_) => String::new(),
    };
    outline += &diagnostics(&flow);
    outline.trim_end().to_owned()
}

fn diagnostics(flow: &Flow) -> String {
    let found = plan::check(flow, registry()).diagnostics;
    let lines = found.iter().map(|it| format!("{:?} {}: {}", it.severity, it.code, it.message));
    lines.collect::<Vec<_>>().join("\n")
}

fn write(plan: &Plan) -> String {
    let id = |at: usize| plan.nodes[at].id.as_str();
    let nodes: Vec<String> = plan
        .nodes
        .iter()
        .map(|node| {
            let mark = if node.is_follower { '~' } else { '#' };
            let clock = node.clock.iter().map(|&cycle| format!("{mark}{}", id(plan.cycles[cycle].entry)));
            format!("{}{}", node.id, clock.collect::<String>())
        })
        .collect();
    let mut lines = vec![nodes.join(" ")];
    let write = |&edge: &usize| {
        let edge = &plan.edges[edge];
        format!("{}.{} -> {}", id(edge.source), edge.port, id(edge.target))
    };
    for cycle in &plan.cycles {
        let back: Vec<String> = cycle.back.iter().map(write).collect();
        let bound =
            cycle.max_epochs.map_or_else(String::new, |bound| format!("; at most {bound} iterations"));
        lines.push(format!("back to {}: {}{bound}", id(cycle.entry), back.join(", ")));
    }
    for (context, maker) in
        (0..plan.scopes[0].contexts.len()).map(|context| (context, plan.scopes[0].contexts.maker(context)))
    {
        let takes_turns = |node: &&PlanNode| node.contexts.works_in.contains(&context);
        let users: Vec<&str> = plan.nodes.iter().filter(takes_turns).map(|node| node.id.as_str()).collect();
        if users.len() > 1 {
            lines.push(format!("turns in {}: {}", id(maker), users.join(", ")));
        }
    }
    lines.join("\n") + "\n"
}
