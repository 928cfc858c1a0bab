//! One step forth: the places whose links lead back to a part of a text.

use plait_core::id::{Activation, PortName};

use super::backward::push;
use super::links::{Link, Origin, result_place};
use super::ranges::{mapped, occurrences, overlap};
use super::{Found, Lineage, LineageCertainty, LineagePlace, LineageSpot, RecordedRun};

/// How many model calls after a text are looked at for messages that have it.
const MAX_CALLS: usize = 200;

impl Lineage<'_> {
    /// Every place that is one step after `found`.
    pub(super) fn forth(&self, found: &Found) -> Vec<Found> {
        let text = self.text(&found.place).unwrap_or_default();
        let wanted = text.get(found.range.clone()).unwrap_or_default();
        let mut steps = Vec::new();
        for place in self.successors(&found.place, wanted) {
            let Some(there) = self.text(&place) else { continue };
            for link in self.links(&place) {
                for step in forth_through(found, wanted, &place, &there, &link) {
                    push(&mut steps, step);
                }
            }
        }
        steps
    }

    /// The places that may have taken something from a place.
    fn successors(&self, place: &LineagePlace, wanted: &str) -> Vec<LineagePlace> {
        let Some(run) = self.run(&place.run) else { return Vec::new() };
        let here = |spot: LineageSpot| LineagePlace { run: place.run.clone(), spot };
        let at = place.spot.activation();
        let mut found: Vec<LineagePlace> = Vec::new();
        match (&place.spot, &at) {
            (LineageSpot::Output { port, .. }, Some(at)) => {
                found.extend(
                    run.fed_by(at, port)
                        .iter()
                        .map(|(fed, port, index)| here(LineageSpot::input(fed, port.clone(), *index))),
                );
                let others = outputs_of(&run, at)
                    .into_iter()
                    .filter(|other| other.as_str() == "context" && other != port);
                found.extend(others.map(|port| here(LineageSpot::output(at, port))));
                found.extend(loop_outputs(&run, at).map(here));
                found.extend(self.later_messages(&run, place, wanted));
                found.extend(self.parent_outputs(&run, place));
            }
            (LineageSpot::Input { port, .. }, Some(at)) => {
                found.extend(self.of_activation(&run, at).into_iter().map(&here));
                if port.as_str() == "items" {
                    let count = self
                        .value(place)
                        .and_then(|items| items.as_array().map(Vec::len))
                        .unwrap_or_default();
                    let items = (0..u32::try_from(count).unwrap_or(u32::MAX))
                        .map(|index| Activation { node: at.node.clone(), epoch: at.epoch.child(index) });
                    let items = items.map(|item| LineageSpot::output(&item, "item".into()));
                    found.extend(items.map(&here).filter(|item| self.text(item).is_some()));
                }
                found.extend(self.child_inputs(&run, at));
            }
            (LineageSpot::Message { call, .. }, Some(at)) => {
                found.push(here(LineageSpot::reply(at, *call)));
                found.extend(tools_of(&run, at).map(|tool| here(LineageSpot::tool_arguments(at, tool))));
                found.extend(self.later_messages(&run, place, wanted));
            }
            (LineageSpot::ToolArguments { tool, .. }, Some(at)) => {
                found.push(here(LineageSpot::tool_result(at, *tool)));
            }
            (
                LineageSpot::Reply { .. } | LineageSpot::ToolResult { .. } | LineageSpot::Answer { .. },
                Some(at),
            ) => {
                found.extend(self.of_activation(&run, at).into_iter().map(&here));
                found.extend(self.later_messages(&run, place, wanted));
            }
            (LineageSpot::RunInput, _) => {
                let nodes = run.flow().into_iter().flat_map(|flow| &flow.nodes);
                for (id, _) in nodes.filter(|(_, node)| node.node_type == "manualInput") {
                    let epochs = run.epochs(id);
                    found.extend(epochs.into_iter().map(|epoch| {
                        let at = Activation { node: id.clone(), epoch: epoch.epoch.clone() };
                        here(LineageSpot::output(&at, "value".into()))
                    }));
                }
            }
            (LineageSpot::Set { node, port }, _) => {
                let epochs = run.epochs(node);
                found.extend(epochs.into_iter().map(|epoch| {
                    let at = Activation { node: node.clone(), epoch: epoch.epoch.clone() };
                    here(LineageSpot::input(&at, port.clone(), 0))
                }));
            }
            (_, None) => {}
        }
        found.retain(|other| other != place);
        found.dedup();
        found
    }

    /// The outputs of an activation, the messages of its prompts, and the arguments of its tools.
    fn of_activation(&self, run: &RecordedRun, at: &Activation) -> Vec<LineageSpot> {
        let outputs = outputs_of(run, at).into_iter().map(|port| LineageSpot::output(at, port));
        let arguments = tools_of(run, at).map(|tool| LineageSpot::tool_arguments(at, tool));
        let calls = run.epoch(at).map_or(0, |epoch| epoch.calls.len());
        let messages = (0..calls).flat_map(|call| {
            (0..self.messages(run, at, call).len())
                .map(move |message| LineageSpot::message(at, call, message))
        });
        outputs.chain(arguments).chain(messages).collect()
    }

    /// The messages of later prompts in which the text may stand: those that have it.
    fn later_messages(&self, run: &RecordedRun, place: &LineagePlace, wanted: &str) -> Vec<LineagePlace> {
        let after = run.seq(&place.spot).unwrap_or_default();
        let mut found = Vec::new();
        let later = run
            .calls()
            .filter(|(at, call)| run.seq(&LineageSpot::message(at, *call, 0)).is_some_and(|seq| seq > after));
        for (at, call) in later.take(MAX_CALLS) {
            for (message, (sent, _)) in self.messages(run, at, call).iter().enumerate() {
                if sent.text.contains(wanted) {
                    let spot = LineageSpot::message(at, call, message);
                    found.push(LineagePlace { run: place.run.clone(), spot });
                }
            }
        }
        found
    }

    /// What the children of an activation were given.
    fn child_inputs(&self, run: &RecordedRun, at: &Activation) -> Vec<LineagePlace> {
        let children = run.epoch(at).map(|epoch| epoch.children.clone()).unwrap_or_default();
        let mut found = Vec::new();
        for id in children {
            let Some(child) = self.run(&id) else { continue };
            let set = child.outline().set.iter().flat_map(|(node, ports)| {
                ports.keys().map(|port| LineageSpot::Set { node: node.clone(), port: port.clone() })
            });
            let spots: Vec<LineageSpot> = [LineageSpot::RunInput].into_iter().chain(set).collect();
            found.extend(spots.into_iter().map(|spot| LineagePlace { run: id.clone(), spot }));
        }
        found
    }

    /// The outputs of the activation whose child the run is, if the place is a result of the run.
    fn parent_outputs(&self, run: &RecordedRun, place: &LineagePlace) -> Vec<LineagePlace> {
        let LineageSpot::Output { node, port, .. } = &place.spot else { return Vec::new() };
        let parent = run.outline().parent_run_id.clone();
        let Some((id, parent)) = parent.and_then(|id| Some((id.clone(), self.run(&id)?))) else {
            return Vec::new();
        };
        if result_place(run, &place.run, node, port).as_ref() != Some(place) {
            return Vec::new();
        }
        let Some(at) = parent.parent_of(&place.run) else { return Vec::new() };
        let outputs = outputs_of(&parent, at).into_iter();
        outputs.map(|port| LineagePlace { run: id.clone(), spot: LineageSpot::output(at, port) }).collect()
    }
}

fn forth_through(found: &Found, wanted: &str, place: &LineagePlace, there: &str, link: &Link) -> Vec<Found> {
    let step = |range, certainty| Found { place: place.clone(), range, certainty, source: None };
    match &link.origin {
        Origin::Copy { place: from, range } if *from == found.place => {
            let both = overlap(range, &found.range);
            let step = both.map(|both| step(mapped(range, &link.range, &both), LineageCertainty::Copied));
            step.into_iter().collect()
        }
        Origin::Computed { places, otherwise } if places.contains(&found.place) => {
            let part = there.get(link.range.clone()).unwrap_or_default();
            let begin = link.range.start;
            let same: Vec<Found> = occurrences(part, wanted)
                .filter(|_| !wanted.trim().is_empty())
                .map(|range| step(begin + range.start..begin + range.end, LineageCertainty::SameText))
                .collect();
            if same.is_empty() && otherwise.is_none() {
                return vec![step(link.range.clone(), LineageCertainty::Computed)];
            }
            same
        }
        _ => Vec::new(),
    }
}

fn outputs_of(run: &RecordedRun, at: &Activation) -> Vec<PortName> {
    run.epoch(at).map(|epoch| epoch.outputs.keys().cloned().collect()).unwrap_or_default()
}

fn tools_of(run: &RecordedRun, at: &Activation) -> std::ops::Range<usize> {
    0..run.epoch(at).map_or(0, |epoch| epoch.tools.len())
}

/// The outputs of the loop around an activation.
fn loop_outputs(run: &RecordedRun, at: &Activation) -> impl Iterator<Item = LineageSpot> {
    let parent = run.node(&at.node).and_then(|node| node.parent.clone());
    let outer = parent.map(|node| Activation { node, epoch: at.epoch.outer() });
    let outputs = outer.map(|outer| {
        outputs_of(run, &outer).into_iter().map(|port| LineageSpot::output(&outer, port)).collect::<Vec<_>>()
    });
    outputs.unwrap_or_default().into_iter()
}
