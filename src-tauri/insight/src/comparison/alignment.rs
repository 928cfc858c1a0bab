//! Which activations of two runs correspond.

use std::collections::{BTreeSet, HashMap, VecDeque};

use plait_core::id::{Activation, Epoch, NodeId, PortName};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::{Compared, ListComparison};
use crate::flow_diff::FlowDiff;
use crate::lineage::{LOOP, RecordedRun};

/// Two activations that correspond, or one without a counterpart.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub(super) before: Option<Activation>,
    pub(super) after: Option<Activation>,
}

impl Pair {
    pub(super) fn both(&self) -> Option<(&Activation, &Activation)> {
        self.before.as_ref().zip(self.after.as_ref())
    }
}

/// Something that came in to a pair.
pub(super) struct Source {
    /// The pair that it came from.
    pub(super) pair: usize,
    port: PortName,
    /// Whether it is a context: what the pair said may be in it.
    pub(super) is_context: bool,
    /// What is known of it without the pair: an item of a list.
    differs: Option<bool>,
}

impl Source {
    /// Whether what came in is not the same.
    pub(super) fn is_otherwise(&self, found: &Compared) -> bool {
        self.differs.unwrap_or_else(|| {
            if self.is_context { found.has_other_context } else { found.outputs.contains(&self.port) }
        })
    }
}

/// All pairs of two runs, in the order of the runs.
pub(super) struct Alignment {
    pub(super) pairs: Vec<Pair>,
    pub(super) lists: Vec<ListComparison>,
    before: FxHashMap<Activation, usize>,
    after: FxHashMap<Activation, usize>,
}

impl Alignment {
    pub(super) fn of(before: &RecordedRun, after: &RecordedRun, diff: &FlowDiff) -> Self {
        let mut epochs =
            EpochMap { before, after, renames: diff.renames(), items: HashMap::new(), lists: Vec::new() };
        let mut pairs = Vec::new();
        for (id, node) in &before.view().nodes {
            let new = NodeId::clone(epochs.new_id(id));
            for epoch in &node.epochs {
                let at = Activation { node: id.clone(), epoch: epoch.epoch.clone() };
                match epochs.counterpart(&at, &new) {
                    Counterpart::Removed => {}
                    Counterpart::At(other) => {
                        let after = after.epoch(&other).is_some().then_some(other);
                        pairs.push(Pair { before: Some(at), after });
                    }
                }
            }
        }
        let paired: FxHashSet<Activation> = pairs.iter().filter_map(|pair| pair.after.clone()).collect();
        for (id, node) in &after.view().nodes {
            for epoch in &node.epochs {
                let at = Activation { node: id.clone(), epoch: epoch.epoch.clone() };
                if !paired.contains(&at) && !epochs.is_inserted(&at) {
                    pairs.push(Pair { before: None, after: Some(at) });
                }
            }
        }
        sort(&mut pairs, before, after);
        let index = |at: fn(&Pair) -> &Option<Activation>| {
            pairs.iter().enumerate().filter_map(|(index, pair)| Some((at(pair).clone()?, index))).collect()
        };
        let (of_before, of_after) = (index(|pair| &pair.before), index(|pair| &pair.after));
        Self { before: of_before, after: of_after, lists: epochs.lists, pairs }
    }

    /// What came in to a pair, in either run: into a loop also what its iterations gave.
    pub(super) fn sources(&self, before: &RecordedRun, after: &RecordedRun, pair: usize) -> Vec<Source> {
        let pair = &self.pairs[pair];
        let item = || item_differs(before, after, pair);
        let mut sources = Vec::new();
        for (run, at, index) in [(before, &pair.before, &self.before), (after, &pair.after, &self.after)] {
            let Some(at) = at else { continue };
            let inputs = run.epoch(at).into_iter().flat_map(|epoch| epoch.inputs.values().flatten());
            for input in inputs {
                let from = Activation { node: input.node.clone(), epoch: input.epoch.clone() };
                sources.extend(source(run, index, from, input.port.clone(), item));
            }
            let given = iteration_results(run, at);
            sources.extend(given.filter_map(|(from, port)| source(run, index, from, port, item)));
        }
        sources
    }

    /// The other pairs that wrote messages of its prompts, in either run.
    pub(super) fn authors(&self, before: &RecordedRun, after: &RecordedRun, pair: usize) -> BTreeSet<usize> {
        let Pair { before: old, after: new } = &self.pairs[pair];
        let mut authors = BTreeSet::new();
        for (run, at, index) in [(before, old, &self.before), (after, new, &self.after)] {
            let Some(at) = at else { continue };
            let calls = run.epoch(at).map_or(0, |epoch| epoch.calls.len());
            let messages =
                (0..calls).flat_map(|call| run.messages(at, call)).filter_map(|(_, message)| message);
            let of_run = messages.filter(|message| !run.is_of_earlier_run(&message.id));
            authors.extend(of_run.filter_map(|message| index.get(&message.author).copied()));
        }
        authors.remove(&pair);
        authors
    }
}

/// Puts pairs into the order in which they ended in the first run. What only the second run has stands after what had ended there before.
fn sort(pairs: &mut Vec<Pair>, before: &RecordedRun, after: &RecordedRun) {
    let ended = |run: &RecordedRun, at: &Option<Activation>| {
        at.as_ref().and_then(|at| run.ended_at(at)).unwrap_or(u64::MAX)
    };
    let (mut both, mut inserted): (Vec<Pair>, Vec<Pair>) =
        std::mem::take(pairs).into_iter().partition(|pair| pair.before.is_some());
    both.sort_by_cached_key(|pair| ended(before, &pair.before));
    inserted.sort_by_cached_key(|pair| ended(after, &pair.after));
    let mut inserted = inserted.into_iter().peekable();
    for pair in both {
        let end = ended(after, &pair.after);
        if pair.after.is_some() {
            while let Some(earlier) = inserted.next_if(|other| ended(after, &other.after) < end) {
                pairs.push(earlier);
            }
        }
        pairs.push(pair);
    }
    pairs.extend(inserted);
}

/// Where a value comes from that came out of this activation. What a loop gives to the nodes inside of it comes from what came into the
/// loop.
fn source(
    run: &RecordedRun,
    index: &FxHashMap<Activation, usize>,
    from: Activation,
    port: PortName,
    item_differs: impl Fn() -> bool,
) -> Option<Source> {
    if let Some(pair) = index.get(&from) {
        let value = run.epoch(&from).and_then(|epoch| epoch.outputs.get(&port));
        let is_context = value.is_some_and(|value| value.get("contextId").is_some());
        return Some(Source { pair: *pair, port, is_context, differs: None });
    }
    let input = match port.as_str() {
        "item" => "items",
        "previous" => "input",
        same => same,
    };
    let around = Activation { epoch: from.epoch.outer(), ..from };
    let (from, of_input) = run.source_of(&around, &input.into(), 0)?;
    let differs = (port.as_str() == "item").then(item_differs);
    Some(Source { pair: *index.get(&from)?, port: of_input, is_context: input == "context", differs })
}

/// What the iterations of a loop gave to it.
fn iteration_results<'a>(
    run: &'a RecordedRun,
    at: &'a Activation,
) -> impl Iterator<Item = (Activation, PortName)> + 'a {
    let is_loop = run.node(&at.node).is_some_and(|node| node.node_type == LOOP);
    let edges = run.flow().filter(|_| is_loop).into_iter().flat_map(|flow| flow.edges.values());
    let results =
        edges.filter(|edge| edge.target == at.node && matches!(edge.target_input.as_str(), "next" | "exit"));
    results.flat_map(move |edge| {
        let epochs = run.view().nodes.get(&edge.source).into_iter().flat_map(|node| &node.epochs);
        let inside = epochs.filter(|epoch| epoch.epoch.starts_with(&at.epoch) && epoch.epoch != at.epoch);
        inside.map(|epoch| {
            let from = Activation { node: edge.source.clone(), epoch: epoch.epoch.clone() };
            (from, edge.source_output.clone())
        })
    })
}

/// Whether the items of a pair inside of a loop differ.
fn item_differs(before: &RecordedRun, after: &RecordedRun, pair: &Pair) -> bool {
    let Some((old, new)) = pair.both() else { return true };
    let item = |run: &RecordedRun, at: &Activation| {
        let epoch = run.epoch(at)?;
        let source = epoch.inputs.values().flatten().find(|source| source.port.as_str() == "item")?;
        let from = Activation { node: source.node.clone(), epoch: source.epoch.clone() };
        run.output_value(&from, &source.port)
    };
    item(before, old) != item(after, new)
}

/// Where an activation of the first run is in the second one.
enum Counterpart {
    At(Activation),
    /// Nowhere: its item was removed.
    Removed,
}

/// Which iterations correspond.
struct EpochMap<'a> {
    before: &'a RecordedRun,
    after: &'a RecordedRun,
    renames: HashMap<&'a NodeId, &'a NodeId>,
    /// Of each loop of the first run: the place of each of its items in the second one, and the places that only the second one has.
    items: HashMap<Activation, Option<ItemMap>>,
    lists: Vec<ListComparison>,
}

struct ItemMap {
    loop_after: Activation,
    places: Vec<Option<u32>>,
    inserted: BTreeSet<u32>,
}

impl EpochMap<'_> {
    /// The id that a node of the first run has in the second one.
    fn new_id<'n>(&'n self, node: &'n NodeId) -> &'n NodeId {
        self.renames.get(node).copied().unwrap_or(node)
    }

    fn counterpart(&mut self, at: &Activation, node: &NodeId) -> Counterpart {
        match self.epoch(&at.node, &at.epoch) {
            Some(epoch) => Counterpart::At(Activation { node: node.clone(), epoch }),
            None => Counterpart::Removed,
        }
    }

    /// The epoch of the second run that corresponds to one of a node of the first. Nothing if the second run has no such iteration.
    fn epoch(&mut self, node: &NodeId, epoch: &Epoch) -> Option<Epoch> {
        let loops = self.loops_around(node);
        let mut mapped = Epoch::root();
        for (depth, counter) in epoch.0.iter().enumerate() {
            // The counter of a loop stands after those of the loop itself.
            let around = loops.iter().find(|id| {
                let at = Activation { node: NodeId::clone(id), epoch: epoch.prefix(depth) };
                self.before.epoch(&at).is_some()
            });
            let around = around.map(|id| Activation { node: id.clone(), epoch: epoch.prefix(depth) });
            let counter = match around {
                Some(at) => self.item(&at, &mapped, *counter)?,
                None => *counter,
            };
            mapped = mapped.child(counter);
        }
        Some(mapped)
    }

    fn loops_around(&self, node: &NodeId) -> Vec<NodeId> {
        let mut loops = Vec::new();
        let mut inner = node;
        while let Some(outer) = self.before.node(inner).and_then(|node| node.parent.as_ref()) {
            // A file could have a circle of parents.
            if loops.contains(outer) {
                break;
            }
            loops.push(outer.clone());
            inner = outer;
        }
        loops
    }

    /// The place in the second run of an item of a loop of the first.
    fn item(&mut self, at: &Activation, epoch_after: &Epoch, item: u32) -> Option<u32> {
        if !self.items.contains_key(at) {
            let loop_after = Activation { node: self.new_id(&at.node).clone(), epoch: epoch_after.clone() };
            let map = self.align_items(at, loop_after);
            self.items.insert(at.clone(), map);
        }
        match self.items.get(at) {
            Some(Some(map)) => *map.places.get(item as usize)?,
            _ => Some(item),
        }
    }

    /// Nothing for a loop that is not over a list.
    fn align_items(&mut self, at: &Activation, loop_after: Activation) -> Option<ItemMap> {
        let (old, new) = (items(self.before, at)?, items(self.after, &loop_after)?);
        let mut list = ListComparison {
            path: Vec::new(),
            at: loop_after.clone(),
            inserted: Vec::new(),
            removed: Vec::new(),
            moved: Vec::new(),
            changed: Vec::new(),
            unchanged: 0,
        };
        let mut places = vec![None; old.len()];
        let mut replaced = Vec::new();
        for operation in capture_diff_slices(Algorithm::Myers, &old, &new) {
            let (old_range, new_range) = (operation.old_range(), operation.new_range());
            if matches!(operation, DiffOp::Equal { .. }) {
                for (from, to) in old_range.zip(new_range) {
                    places[from] = Some(place(to));
                    list.unchanged += 1;
                }
            } else {
                replaced.push((old_range.collect::<Vec<_>>(), new_range.collect::<Vec<_>>()));
            }
        }
        // An item that is elsewhere in the second run is the same item.
        let mut elsewhere: FxHashMap<&str, VecDeque<usize>> = FxHashMap::default();
        for to in replaced.iter().flat_map(|(_, new_places)| new_places) {
            elsewhere.entry(&new[*to]).or_default().push_back(*to);
        }
        let mut moved = BTreeSet::new();
        for from in replaced.iter().flat_map(|(old_places, _)| old_places) {
            if let Some(to) = elsewhere.get_mut(old[*from].as_str()).and_then(VecDeque::pop_front) {
                places[*from] = Some(place(to));
                moved.insert(to);
            }
        }
        list.moved = moved.iter().copied().map(place).collect();
        for (mut old_places, mut new_places) in replaced {
            old_places.retain(|from| places[*from].is_none());
            new_places.retain(|to| !moved.contains(to));
            for (from, to) in old_places.iter().zip(&new_places) {
                places[*from] = Some(place(*to));
                list.changed.push(place(*to));
            }
            let common = old_places.len().min(new_places.len());
            list.removed.extend(old_places.into_iter().skip(common).map(place));
            list.inserted.extend(new_places.into_iter().skip(common).map(place));
        }
        let inserted = list.inserted.iter().copied().collect();
        if list.inserted.len() + list.removed.len() + list.moved.len() + list.changed.len() > 0 {
            self.lists.push(list);
        }
        Some(ItemMap { loop_after, places, inserted })
    }

    /// Whether an activation of the second run belongs to an item that only that one has.
    fn is_inserted(&self, at: &Activation) -> bool {
        let of_item = |map: &ItemMap| {
            let depth = map.loop_after.epoch.depth();
            let is_inside =
                at.epoch.starts_with(&map.loop_after.epoch) && self.is_inside(at, &map.loop_after.node);
            is_inside && at.epoch.0.get(depth).is_some_and(|item| map.inserted.contains(item))
        };
        self.items.values().flatten().any(of_item)
    }

    fn is_inside(&self, at: &Activation, loop_node: &NodeId) -> bool {
        let mut inner = &at.node;
        for _ in 0..=at.epoch.depth() {
            match self.after.node(inner).and_then(|node| node.parent.as_ref()) {
                Some(outer) if outer == loop_node => return true,
                Some(outer) => inner = outer,
                None => return false,
            }
        }
        false
    }
}

fn place(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// The items of a loop over a list, each as text.
fn items(run: &RecordedRun, at: &Activation) -> Option<Vec<String>> {
    let node = run.node(&at.node)?;
    if node.node_type != LOOP || node.config.get("kind") != Some(&Value::from("forEach")) {
        return None;
    }
    let (from, port) = run.source_of(at, &"items".into(), 0)?;
    let items = run.output_value(&from, &port)?;
    Some(items.as_array()?.iter().map(Value::to_string).collect())
}
