//! Folds of parts of a journal, each made when a question needs it: most questions are about few of its activations.

use std::collections::{HashMap, HashSet};
use std::hash::{Hash as _, Hasher as _};
use std::sync::OnceLock;

use plait_core::id::{Activation, Epoch, NodeId};
use plait_journal::{JournalLines, LineHead};
use plait_run::node::SUMMARY;
use rustc_hash::{FxHashMap, FxHasher};

use super::Fed;
use super::fold::LineageFold;

/// A journal with its lines sorted by activation, and the folds that were wanted.
pub(super) struct LazyFolds {
    journal: Box<dyn JournalLines>,
    /// By the hash of the activation. Two that have the same hash are folded together.
    activations: FxHashMap<u64, LazyFold>,
    /// What persons changed and tried while a debugger held the run. It counts for activations that it does not name.
    edits: Vec<usize>,
    outline: LazyFold,
    conversations: LazyFold,
    prompts: Vec<usize>,
    epochs: OnceLock<HashMap<NodeId, Vec<Epoch>>>,
    calls: OnceLock<Vec<(Activation, usize)>>,
    fed: OnceLock<Fed>,
    whole: OnceLock<Box<LineageFold>>,
}

/// Lines, and their fold once it was wanted.
#[derive(Default)]
struct LazyFold {
    lines: Vec<usize>,
    fold: OnceLock<Box<LineageFold>>,
}

impl LazyFold {
    fn of(lines: Vec<usize>) -> Self {
        Self { lines, fold: OnceLock::new() }
    }
}

impl LazyFolds {
    /// Gives the journal back if the beginning of a line does not say what it is.
    pub(super) fn new(journal: Box<dyn JournalLines>) -> Result<Self, Box<dyn JournalLines>> {
        let mut activations: FxHashMap<u64, LazyFold> = FxHashMap::default();
        let (mut edits, mut outline, mut conversations) = (Vec::new(), Vec::new(), Vec::new());
        let mut prompts = Vec::new();
        for index in 0..journal.count() {
            let Some(LineHead { event, at, rest, .. }) = LineHead::read(journal.line(index)) else {
                return Err(journal);
            };
            if let Some((node, epoch)) = &at {
                activations.entry(hash(node, epoch)).or_default().lines.push(index);
            }
            let group = event.split_once('.').map_or(event, |(group, _)| group);
            match (event, group) {
                ("run.started", _) => {
                    outline.push(index);
                    // Only contexts of a run in a conversation begin with what earlier runs said.
                    conversations.push(index);
                }
                ("child.started", _) | (_, "run") => outline.push(index),
                (_, "value" | "trial") => {
                    outline.push(index);
                    edits.push(index);
                }
                (_, "context" | "history") | ("turn.committed", _) => conversations.push(index),
                ("node.finished", _) if rest.contains("\"messages\":") || rest.contains(SUMMARY) => {
                    conversations.push(index);
                }
                ("prompt.rendered", _) => prompts.push(index),
                _ => {}
            }
        }
        Ok(Self {
            journal,
            activations,
            edits,
            outline: LazyFold::of(outline),
            conversations: LazyFold::of(conversations),
            prompts,
            epochs: OnceLock::new(),
            calls: OnceLock::new(),
            fed: OnceLock::new(),
            whole: OnceLock::new(),
        })
    }

    /// What the run began with and came to, whose child each child run is, and what persons changed.
    pub(super) fn outline(&self) -> &LineageFold {
        self.outline.fold.get_or_init(|| self.fold(self.outline.lines.iter().copied()))
    }

    /// The messages of contexts and loops, and which outputs they are.
    pub(super) fn conversations(&self) -> &LineageFold {
        self.conversations.fold.get_or_init(|| self.fold(self.conversations.lines.iter().copied()))
    }

    /// All of the journal.
    pub(super) fn whole(&self) -> &LineageFold {
        self.whole.get_or_init(|| self.fold(0..self.journal.count()))
    }

    pub(super) fn activation(&self, at: &Activation) -> Option<&LineageFold> {
        let known = self.activations.get(&hash(at.node.as_str(), &at.epoch))?;
        Some(known.fold.get_or_init(|| {
            let mut lines = [known.lines.as_slice(), &self.edits].concat();
            lines.sort_unstable();
            self.fold(lines.into_iter())
        }))
    }

    /// The epochs in which something happened at a node, in order.
    pub(super) fn epochs(&self, node: &NodeId) -> &[Epoch] {
        let epochs = self.epochs.get_or_init(|| {
            let mut epochs: HashMap<NodeId, Vec<Epoch>> = HashMap::new();
            for (node, epoch) in self.heads().filter_map(|(_, head)| head.at) {
                match epochs.get_mut(&*node) {
                    Some(known) => known.push(epoch),
                    None => drop(epochs.insert(NodeId::from(&*node), vec![epoch])),
                }
            }
            for epochs in epochs.values_mut() {
                epochs.sort_unstable();
                epochs.dedup();
            }
            epochs
        });
        epochs.get(node).map_or(&[], Vec::as_slice)
    }

    /// The places of the model calls, in the order of their prompts.
    pub(super) fn calls(&self) -> impl Iterator<Item = (&Activation, usize)> {
        let calls = self.calls.get_or_init(|| {
            let heads = self.prompts.iter().filter_map(|index| LineHead::read(self.journal.line(*index)));
            let activations: HashSet<Activation> = heads
                .filter_map(|head| head.at)
                .map(|(node, epoch)| Activation { node: NodeId::from(&*node), epoch })
                .collect();
            let folds = activations.iter().filter_map(|at| Some((at, self.activation(at)?)));
            let mut places: Vec<(u64, Activation, usize)> = folds
                .flat_map(|(at, fold)| fold.lens.call_places().filter(move |(_, of, _)| *of == at))
                .map(|(seq, at, call)| (seq, at.clone(), call))
                .collect();
            places.sort_unstable_by_key(|(seq, ..)| *seq);
            places.into_iter().map(|(_, at, call)| (at, call)).collect()
        });
        calls.iter().map(|(at, call)| (at, *call))
    }

    /// The inputs that each output feeds.
    pub(super) fn fed(&self) -> &Fed {
        self.fed.get_or_init(|| {
            let ready = self.heads().filter(|(_, head)| head.event == "node.ready");
            self.fold(ready.map(|(index, _)| index)).fed
        })
    }

    fn heads(&self) -> impl Iterator<Item = (usize, LineHead<'_>)> {
        (0..self.journal.count()).filter_map(|index| Some((index, LineHead::read(self.journal.line(index))?)))
    }

    /// Lines that can't be read are left out.
    fn fold(&self, lines: impl Iterator<Item = usize>) -> Box<LineageFold> {
        let mut fold = Box::<LineageFold>::default();
        for entry in lines.filter_map(|index| self.journal.entry(index)) {
            fold.apply(&entry);
        }
        fold
    }
}

fn hash(node: &str, epoch: &Epoch) -> u64 {
    let mut hasher = FxHasher::default();
    node.hash(&mut hasher);
    epoch.hash(&mut hasher);
    hasher.finish()
}
