//! The floor: a loop over the plan that evaluates the same nodes and appends the same events, without a scheduler.
//!
//! It is the minimum that any engine must do: collect inputs, evaluate, read the clock, append to the journal.

use std::collections::BTreeMap;

use plait_core::error::Fault;
use plait_core::id::{Activation, Epoch};
use plait_core::origin::Origins;
use plait_journal::{Entry, Event, FinishMetadata, Journal, NodeEvent, NodeOutputs, RunEvent, SourceRef};
use plait_run::host::Clock;
use plait_run::node::{Datum, Inputs};

use super::host::{SystemClock, started_event};
use super::shapes::PlannedFlow;

/// Evaluates the nodes in plan order and appends the events of a run.
pub fn floor(
    PlannedFlow { plan, evaluate }: &PlannedFlow,
    run: &str,
    journal: &mut impl Journal,
) -> Result<(), Fault> {
    let mut writer = EntryWriter { journal, next: 0 };
    writer.append([started_event(run)])?;
    let mut results: Vec<NodeOutputs> = Vec::with_capacity(plan.nodes.len());
    for (node, evaluate) in plan.nodes.iter().zip(evaluate) {
        let started = SystemClock.now_ms();
        let ports = &node.node.ports().inputs;
        let (mut inputs, mut sources) = (Inputs::default(), BTreeMap::<_, Vec<SourceRef>>::new());
        for &edge in &node.incoming {
            let edge = &plan.edges[edge];
            let port = &edge.port;
            let Some(value) = results[edge.source].get(port) else { continue };
            let name = &ports[edge.target_port].name;
            inputs.push(name, Datum { value: value.clone(), message: None, origins: Origins::NONE });
            sources.entry(name.clone()).or_default().push(SourceRef {
                node: plan.nodes[edge.source].id.clone(),
                epoch: Epoch::root(),
                port: port.clone(),
            });
        }
        let (id, epoch) = (&node.id, Epoch::root());
        writer.append([
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
        let metadata = FinishMetadata {
            duration_ms: SystemClock.now_ms().saturating_sub(started),
            ..FinishMetadata::default()
        };
        results.push(output.outputs.clone());
        writer.append([Event::Node(
            Activation { node: id.clone(), epoch },
            NodeEvent::Finished { outputs: output.outputs, messages: output.messages, metadata },
        )])?;
    }
    let ends = plan.nodes.iter().zip(results).filter(|(node, _)| node.is_result);
    let outputs = ends.map(|(node, outputs)| (node.id.clone(), outputs)).collect();
    writer.append([Event::Run(RunEvent::Finished { outputs, origins: plait_core::origin::Origins::NONE })])
}

struct EntryWriter<'a, J: Journal> {
    journal: &'a mut J,
    next: u64,
}

impl<J: Journal> EntryWriter<'_, J> {
    fn append<const N: usize>(&mut self, events: [Event; N]) -> Result<(), Fault> {
        let (at, first) = (SystemClock.now_ms(), self.next);
        self.next += N as u64;
        let mut seq = first..;
        let entries = events.map(|event| Entry { seq: seq.next(), at, event, interrupted_ms: 0 });
        self.journal.append(&entries)
    }
}
