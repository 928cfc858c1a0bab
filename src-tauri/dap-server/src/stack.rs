//! Threads and frames: what goes on in a run tree at a moment, and what is around it.
//!
//! A thread is an activation with nothing inside of it: a node of one branch, in one iteration. Its frames are, from the inside, its
//! call, the node, the iterations of the loops around it, and the same of each `subflow` node above.

use std::collections::HashMap;

use plait_api::ErrorReply;
use plait_core::flow::Flow;
use plait_core::id::{Activation, Epoch, NodeId, RunId};
use plait_journal::view::{NodeState, NodeView, RunView};

use crate::codes;
use crate::moments::{Moment, began};
use crate::tree::Tree;

/// An activation of a run of the tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub(crate) run: RunId,
    pub(crate) at: Activation,
}

/// A frame.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) place: Place,
    pub(crate) name: String,
    /// Whether it is around what happens, and no node that works.
    pub(crate) is_around: bool,
    /// Whether it is the node that the thread is at.
    pub(crate) is_node: bool,
}

/// The numbers of threads and frames.
#[derive(Default)]
pub(crate) struct Numbers {
    threads: HashMap<Place, i64>,
    frames: Vec<Frame>,
}

/// The thread of a run in which no node works.
pub(crate) const IDLE_THREAD: i64 = 1;

impl Numbers {
    /// The number of a thread, the same for as long as the session.
    pub(crate) fn thread(&mut self, place: &Place) -> i64 {
        let next = IDLE_THREAD + 1 + i64::try_from(self.threads.len()).unwrap_or(i64::MAX - 2);
        *self.threads.entry(place.clone()).or_insert(next)
    }

    /// `dap.unknown_id`.
    pub(crate) fn place(&self, thread: i64) -> Result<&Place, ErrorReply> {
        let found = self.threads.iter().find(|(_, number)| **number == thread);
        found.map(|(place, _)| place).ok_or_else(|| unknown("thread", thread))
    }

    /// Gives a frame its number, which holds until the run goes on.
    pub(crate) fn add_frame(&mut self, frame: Frame) -> i64 {
        self.frames.push(frame);
        i64::try_from(self.frames.len()).unwrap_or(i64::MAX)
    }

    /// `dap.unknown_id`.
    pub(crate) fn frame(&self, number: i64) -> Result<&Frame, ErrorReply> {
        let at = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        at.and_then(|at| self.frames.get(at)).ok_or_else(|| unknown("frame", number))
    }

    pub(crate) fn forget_frames(&mut self) {
        self.frames.clear();
    }
}

pub(crate) fn unknown(what: &str, number: i64) -> ErrorReply {
    ErrorReply::new(codes::DAP_UNKNOWN_ID, format!("There is no {what} {number}."))
        .hint("The numbers change whenever the run goes on: ask for them again.")
}

/// How many events of a run count at a moment. None: the run is not seen there.
pub(crate) fn events_at(tree: &Tree, run: &RunId, past: Option<&Moment>) -> Option<usize> {
    let Some(past) = past else { return Some(tree.log(run)?.entries.len()) };
    let mut below = &past.run;
    if below == run {
        return Some(past.events);
    }
    while let Some((parent, at)) = tree.log(below)?.parent.as_ref() {
        if parent == run {
            return began(&tree.log(parent)?.entries, at, below);
        }
        below = parent;
    }
    None
}

/// The threads at a moment.
pub(crate) async fn threads(tree: &mut Tree, past: Option<&Moment>) -> Result<Vec<Place>, ErrorReply> {
    let mut found = Vec::new();
    // Outer runs first; what a child run does is in place of the node that started it.
    let mut open = vec![tree.root.clone()];
    while let Some(run) = open.pop() {
        let Some(events) = events_at(tree, &run, past) else { continue };
        let fold = tree.fold(&run, events).await?;
        let flow = tree.flow(&run).await?;
        let mut leaves = leaves(fold.view(), &flow);
        if let Some(here) = past.filter(|past| past.run == run).and_then(|past| past.activation(tree))
            && !leaves.contains(&here)
        {
            leaves.push(here);
        }
        let below: Vec<(RunId, Activation)> = tree
            .runs()
            .filter(|(below, log)| {
                !log.outline.status.is_final() || past.is_some_and(|past| past.run == **below)
            })
            .filter_map(|(below, log)| Some((below.clone(), log.parent.clone()?)))
            .filter(|(below, (parent, at))| {
                *parent == run
                    && leaves.contains(at)
                    && events_at(tree, below, past).is_some_and(|events| events > 0)
            })
            .map(|(below, (_, at))| (below, at))
            .collect();
        leaves.retain(|leaf| !below.iter().any(|(_, at)| at == leaf));
        found.extend(leaves.into_iter().map(|at| Place { run: run.clone(), at }));
        open.extend(below.into_iter().map(|(run, _)| run));
    }
    Ok(found)
}

/// The activations that have begun or may begin, and have not ended, without loops whose iterations are among them.
fn leaves(view: &RunView, flow: &Flow) -> Vec<Activation> {
    let is_open = |state: NodeState| {
        matches!(state, NodeState::Ready | NodeState::Running | NodeState::Paused | NodeState::Retrying)
    };
    let open = view.nodes.iter().flat_map(|(node, view)| {
        let epochs = view.epochs.iter().filter(|epoch| is_open(epoch.state));
        epochs.map(|epoch| Activation { node: node.clone(), epoch: epoch.epoch.clone() })
    });
    let open: Vec<Activation> = open.collect();
    let is_around = |outer: &Activation| {
        open.iter().any(|inner| {
            inner.epoch.starts_with(&outer.epoch) && loops_around(flow, &inner.node).contains(&&outer.node)
        })
    };
    open.iter().filter(|at| !is_around(at)).cloned().collect()
}

/// The loops that a node is in, the innermost first.
fn loops_around<'f>(flow: &'f Flow, node: &NodeId) -> Vec<&'f NodeId> {
    let mut loops: Vec<&NodeId> = Vec::new();
    let mut next = flow.nodes.get(node).and_then(|node| node.parent.as_ref());
    while let Some(parent) = next.filter(|parent| !loops.contains(parent)) {
        loops.push(parent);
        next = flow.nodes.get(parent).and_then(|node| node.parent.as_ref());
    }
    loops
}

/// The frames of a thread at a moment, the innermost first. `call` is what its activation is about to call, if it is held there.
pub(crate) async fn frames(
    tree: &mut Tree,
    place: &Place,
    call: Option<&str>,
    past: Option<&Moment>,
) -> Result<Vec<Frame>, ErrorReply> {
    let mut frames = Vec::new();
    let mut next = Some(place.clone());
    while let Some(place) = next {
        let flow = tree.flow(&place.run).await?;
        let events = events_at(tree, &place.run, past).unwrap_or_default();
        let fold = tree.fold(&place.run, events).await?;
        let is_innermost = frames.is_empty();
        let frame = |name: String, is_around: bool, is_node: bool, at: Activation| Frame {
            place: Place { run: place.run.clone(), at },
            name,
            is_around,
            is_node,
        };
        if is_innermost {
            let held = call.map(|call| format!("before {call}"));
            let view = fold.view().nodes.get(&place.at.node).and_then(|node| node.at(&place.at.epoch));
            let tools = view.into_iter().flat_map(|view| &view.tools).filter(|tool| tool.ended_at.is_none());
            let calls = held.into_iter().chain(tools.map(|tool| format!("tool {}", tool.call.name)));
            frames.extend(calls.map(|name| frame(name, false, false, place.at.clone())));
        }
        frames.push(frame(node_name(&flow, &place.at), !is_innermost, is_innermost, place.at.clone()));
        let mut around = Vec::new();
        let mut level = 0;
        for of_loop in loops_around(&flow, &place.at.node).into_iter().rev() {
            let begun = fold
                .view()
                .nodes
                .get(of_loop)
                .and_then(|view| execution(view, &place.at.epoch.prefix(level)));
            let at = |epoch: Epoch| Activation { node: of_loop.clone(), epoch };
            match begun
                .filter(|begun| begun.depth() < place.at.epoch.depth() && place.at.epoch.starts_with(begun))
            {
                Some(begun) => {
                    level = begun.depth() + 1;
                    let index = place.at.epoch.0[begun.depth()];
                    let name = format!(
                        "{} iteration {}",
                        node_name(&flow, &at(begun.clone())),
                        u64::from(index) + 1
                    );
                    around.push(frame(name, true, false, at(begun)));
                }
                None => {
                    around.push(frame(node_name(&flow, &at(Epoch::root())), true, false, at(Epoch::root())));
                }
            }
        }
        frames.extend(around.into_iter().rev());
        let parent = tree.log(&place.run).and_then(|log| log.parent.clone());
        next = parent.map(|(run, at)| Place { run, at });
    }
    Ok(frames)
}

/// The epoch of a loop's own execution; those with a counter more are tests of its condition.
fn execution(view: &NodeView, around: &Epoch) -> Option<Epoch> {
    let depth = view.epochs.iter().map(|epoch| epoch.epoch.depth()).min()?;
    let own = view
        .epochs
        .iter()
        .rev()
        .find(|epoch| epoch.epoch.depth() == depth && epoch.epoch.starts_with(around));
    own.map(|epoch| epoch.epoch.clone())
}

/// What a person calls an activation: its title beside its id.
fn node_name(flow: &Flow, at: &Activation) -> String {
    match flow.nodes.get(&at.node).and_then(|node| node.title.as_deref()) {
        Some(title) if title != at.node.as_str() && !title.is_empty() => format!("{at} ({title})"),
        _ => at.to_string(),
    }
}
