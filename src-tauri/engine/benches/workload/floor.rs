//! The floor: the same nodes evaluated and the same events appended by a loop over the plan, with no scheduler.
//!
//! What no engine can do without, written by hand: collect inputs, evaluate, read the clock, append to the journal.

use std::collections::BTreeMap;

use plait_engine::error::Fault;
use plait_engine::host::Clock;
use plait_engine::id::{Activation, Epoch};
use plait_engine::journal::{
    Entry, Event, FinishMetadata, Journal, NodeEvent, NodeOutputs, RunEvent, SourceRef,
};
use plait_engine::node::{Datum, Inputs};

use super::shapes::Planned;
use super::world::{Wall, first};

/// Evaluates the plan's nodes in its order and appends what a run of them would.
pub fn floor(
    Planned { plan, evaluate }: &Planned,
    run: &str,
    journal: &mut impl Journal,
) -> Result<(), Fault> {
    let mut pen = Pen { journal, next: 0 };
    pen.append([first(run)])?;
    let mut results: Vec<NodeOutputs> = Vec::with_capacity(plan.nodes.len());
    for (node, evaluate) in plan.nodes.iter().zip(evaluate) {
        let began = Wall.now_ms();
        let ports = &node.node.ports().inputs;
        let (mut inputs, mut sources) = (Inputs::default(), BTreeMap::<_, Vec<SourceRef>>::new());
        for &edge in &node.incoming {
            let edge = &plan.edges[edge];
            let Some(port) = &edge.port else { continue };
            let Some(value) = results[edge.source].get(port) else { continue };
            let name = &ports[edge.target_port].name;
            inputs.push(name, Datum { value: value.clone(), message: None });
            sources.entry(name.clone()).or_default().push(SourceRef {
                node: plan.nodes[edge.source].id.clone(),
                epoch: Epoch::root(),
                port: port.clone(),
            });
        }
        let (id, epoch) = (&node.id, Epoch::root());
        pen.append([
            Event::Node(
                Activation { node: id.clone(), epoch: epoch.clone() },
                NodeEvent::Ready { inputs: sources },
            ),
            Event::Node(
                Activation { node: id.clone(), epoch: epoch.clone() },
                NodeEvent::Started { attempt: 1 },
            ),
        ])?;
        let output = evaluate(&inputs);
        let metadata =
            FinishMetadata { duration_ms: Wall.now_ms().saturating_sub(began), ..FinishMetadata::default() };
        results.push(output.outputs.clone());
        pen.append([Event::Node(
            Activation { node: id.clone(), epoch },
            NodeEvent::Finished { outputs: output.outputs, messages: output.messages, metadata },
        )])?;
    }
    let ends = plan.nodes.iter().zip(results).filter(|(node, _)| node.is_result);
    let outputs = ends.map(|(node, outputs)| (node.id.clone(), outputs)).collect();
    pen.append([Event::Run(RunEvent::Finished { outputs })])
}

struct Pen<'a, J: Journal> {
    journal: &'a mut J,
    next: u64,
}

impl<J: Journal> Pen<'_, J> {
    fn append<const N: usize>(&mut self, events: [Event; N]) -> Result<(), Fault> {
        let (at, first) = (Wall.now_ms(), self.next);
        self.next += N as u64;
        let mut seq = first..;
        let entries = events.map(|event| Entry { seq: seq.next(), at, event });
        self.journal.append(&entries)
    }
}
