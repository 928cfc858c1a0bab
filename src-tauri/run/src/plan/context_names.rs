//! Who makes, names and hands on which context: one table for all of planning.
//!
//! A node gets its context in one of three ways:
//! - over its **context edges**, from the nodes that make it or hand it on,
//! - by a **name**, in its config or by an override for this run,
//! - by a **value** on a data input, which is only known at run time.
//!
//! A name or a value takes precedence over the context edge, and the node hands on the context that it works in.
//!
//! A context can be named only if its maker runs once. In a cycle, or behind one, each iteration makes a context with a
//! name of its own: `critic#0`, `critic#1`.

mod body_contexts;
mod check;

use std::collections::{BTreeMap, BTreeSet};

use smallvec::SmallVec;

use super::clocks::Clocks;
use super::input_overrides::InputOverrides;
use super::nesting::Nesting;
use super::wiring::{Wire, Wiring};
use crate::node::BoundNode;
use plait_core::id::{ContextId, NodeId, PortName};
use plait_core::port::PortKind;
use plait_llm::context::ContextHandle;

pub(super) use body_contexts::BodyContexts;
pub(super) use check::{check_addressed, check_context_names, check_shared_changes};

/// What one node's config and overrides declare about contexts.
pub(super) struct ContextDeclaration {
    /// The context it makes, by the name that it has if the node runs once.
    pub makes: Option<ContextId>,
    pub names: Option<ContextId>,
    /// The data input on which a value names its context at run time, unless it names one.
    pub input: Option<&'static str>,
    /// An override for that input names no context, for example because it is a number. The node works in none, and
    /// its context edge does not count either.
    pub names_none: bool,
}

impl ContextDeclaration {
    pub fn of(id: &NodeId, node: &dyn BoundNode, overrides: &InputOverrides) -> Self {
        let behavior = node.behavior();
        let own_name = behavior.context_id.as_deref().unwrap_or(id.as_str());
        let in_config = behavior.uses_context_id.as_deref().map(ContextId::from);
        let overridden = behavior.uses_context_from.and_then(|input| {
            let (_, value) = overrides.get(id)?.iter().find(|(name, _)| name.as_str() == input)?;
            Some(ContextHandle::id_in_value(value))
        });
        let names_none = in_config.is_none() && overridden == Some(None);
        let names = in_config.or(overridden.flatten());
        Self {
            makes: behavior.makes_context.then(|| own_name.into()),
            input: behavior.uses_context_from.filter(|_| names.is_none() && !names_none),
            names,
            names_none,
        }
    }

    /// Whether the value on a wire to this node names its context at run time.
    fn takes_context_from(&self, wiring: &Wiring, wire: &Wire) -> bool {
        let inputs = &wiring.vertices[wire.target].node.ports().inputs;
        self.input.is_some_and(|input| inputs[wire.target_port].name.as_str() == input)
    }

    /// Whether a context edge says in which context the node works.
    fn is_by_edge(&self) -> bool {
        self.names.is_none() && self.input.is_none() && !self.names_none
    }
}

/// Whether what comes over a wire may be the context that its target hands on. A loop hands on the one on its `context` input
/// alone.
fn hands_on(wiring: &Wiring, wire: &Wire) -> bool {
    let target = &wiring.vertices[wire.target].node;
    wire.kind == PortKind::Context
        && (target.behavior().repeats.is_none()
            || target.ports().inputs[wire.target_port].name.as_str() == "context")
}

/// The nodes that may have made a context: some of them, or any. Each is a vertex of the scope. Numbers from the count of
/// vertices on are makers outside of it, by their contexts in [`ContextTable::outer`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Makers {
    vertices: SmallVec<[usize; 2]>,
    is_any: bool,
}

/// Contexts that are made outside of a body: some, by name and without the epoch of their makers, or any.
#[derive(Clone, Debug, Default)]
struct NamedContexts {
    names: BTreeSet<ContextId>,
    is_any: bool,
}

/// What the body of a loop knows of the contexts that are made outside of it; nothing for the flow itself.
#[derive(Clone, Debug, Default)]
pub(super) struct OuterContexts {
    /// The contexts that can be named.
    pub names: BTreeSet<ContextId>,
    /// The contexts that edges bring, by the output of the border's begin where they come in.
    brought: BTreeMap<PortName, NamedContexts>,
}

/// Numbers the contexts that are made outside of a scope and used in it.
struct OuterMakers<'a> {
    known: &'a OuterContexts,
    /// The number of the first.
    first: usize,
    used: Vec<ContextId>,
}

impl OuterMakers<'_> {
    fn number(&mut self, name: &ContextId) -> usize {
        let place = self.used.iter().position(|used| used == name).unwrap_or_else(|| {
            self.used.push(name.clone());
            self.used.len() - 1
        });
        self.first + place
    }

    /// The maker of a context that no node of the scope makes.
    fn of_name(&mut self, name: &ContextId) -> Makers {
        if self.known.names.contains(name) { Makers::one(self.number(name)) } else { Makers::any() }
    }

    /// By output of the border's begin, who may have made what comes in there.
    fn brought(&mut self) -> BTreeMap<PortName, Makers> {
        let known = self.known;
        let of_port = |contexts: &NamedContexts| {
            let mut makers = if contexts.is_any { Makers::any() } else { Makers::default() };
            for name in &contexts.names {
                makers.merge(&Makers::one(self.number(name)));
            }
            makers
        };
        let ports: Vec<Makers> = known.brought.values().map(of_port).collect();
        known.brought.keys().cloned().zip(ports).collect()
    }
}

/// More makers than this count as any.
const MAX_MAKERS: usize = 8;

impl Makers {
    fn one(maker: usize) -> Self {
        Self { vertices: SmallVec::from_iter([maker]), is_any: false }
    }

    fn any() -> Self {
        Self { vertices: SmallVec::new(), is_any: true }
    }

    fn merge(&mut self, other: &Self) {
        self.is_any |= other.is_any;
        for maker in &other.vertices {
            if !self.is_any && !self.vertices.contains(maker) {
                self.vertices.push(*maker);
                self.is_any = self.vertices.len() > MAX_MAKERS;
            }
        }
    }

    /// The one maker, if there is exactly one.
    pub fn only(&self) -> Option<usize> {
        match (self.vertices.as_slice(), self.is_any) {
            ([maker], false) => Some(*maker),
            _ => None,
        }
    }

    /// The makers that are known. There may be others if [`is_any`](Self::is_any).
    pub fn known(&self) -> &[usize] {
        &self.vertices
    }

    /// Whether it may be any context of the flow.
    pub fn is_any(&self) -> bool {
        self.is_any
    }
}

/// A node's row of the table.
pub(super) struct ContextRow {
    pub declared: ContextDeclaration,
    /// Who may have made the context that it hands on; if it has no context output, the one that it works in.
    pub hands_on: Makers,
    /// Who may have made the context that it takes turns in. Empty if it takes none.
    pub works_in: Makers,
    /// The contexts that nodes inside it name, if it is a loop.
    pub names_inside: BTreeSet<ContextId>,
}

/// Who makes, names and hands on which context.
pub(super) struct ContextTable {
    /// By vertex.
    pub rows: Vec<ContextRow>,
    /// The contexts that are made outside of the scope and used in it.
    pub outer: Vec<ContextId>,
    /// The makers of contexts that can be named.
    makers: BTreeMap<ContextId, usize>,
    /// By output of the border's begin, who may have made what comes in there.
    brought: BTreeMap<PortName, Makers>,
}

impl ContextTable {
    /// The table of one scope. `bodies` says for its loops what the nodes inside work in.
    pub fn of(
        wiring: &Wiring,
        nesting: &Nesting,
        clocks: &Clocks,
        bodies: &BTreeMap<usize, BodyContexts>,
        outer: &OuterContexts,
        overrides: &InputOverrides,
    ) -> Self {
        let declared: Vec<ContextDeclaration> = wiring
            .vertices
            .iter()
            .map(|vertex| ContextDeclaration::of(&vertex.id, &*vertex.node, overrides))
            .collect();
        let nameable = declared.iter().enumerate().filter(|(vertex, _)| clocks.runs_once(*vertex));
        let makers: BTreeMap<ContextId, usize> =
            nameable.filter_map(|(vertex, declared)| Some((declared.makes.clone()?, vertex))).collect();
        let mut outer = OuterMakers { known: outer, first: declared.len(), used: Vec::new() };
        let brought = outer.brought();
        let assigned = assigned_makers(wiring, &declared, &makers, &mut outer);
        let sources = ContextSources::of(wiring, &brought);
        let hands_on = handed_on_makers(&declared, &assigned, &sources, &nesting.topological);
        let works_in: Vec<Makers> = (0..declared.len())
            .map(|vertex| {
                let takes_turns = wiring.vertices[vertex].node.behavior().uses_context;
                if let Some(body) = bodies.get(&vertex) {
                    let fed = fed_into(wiring, vertex, body, &hands_on, &brought);
                    return works_inside(body, &fed, &makers, &mut outer);
                }
                match &assigned[vertex] {
                    _ if wiring.is_border(vertex) => Makers::default(),
                    Some(assigned) => assigned.clone(),
                    None if takes_turns => sources.merge(vertex, &hands_on),
                    None => Makers::default(),
                }
            })
            .collect();
        let columns = declared.into_iter().zip(hands_on).zip(works_in).enumerate();
        let rows = columns.map(|(vertex, ((declared, hands_on), works_in))| {
            let names_inside = bodies.get(&vertex).map(|body| body.names.clone()).unwrap_or_default();
            ContextRow { declared, hands_on, works_in, names_inside }
        });
        let rows = rows.collect();
        Self { rows, outer: outer.used, makers, brought }
    }

    /// The outer contexts that the body of a loop, a vertex of this scope, knows. `names` are the contexts that can be
    /// named.
    pub fn outside_of(
        &self,
        wiring: &Wiring,
        vertex: usize,
        names: BTreeSet<ContextId>,
        overrides: &InputOverrides,
    ) -> OuterContexts {
        let mut brought: BTreeMap<PortName, NamedContexts> = BTreeMap::new();
        let inputs = &wiring.vertices[vertex].node.ports().inputs;
        for wire in wiring.wires.iter().filter(|it| it.target == vertex && it.kind == PortKind::Context) {
            let is_from_border = wiring.border.is_some_and(|border| border.begin == wire.source);
            let makers = if is_from_border {
                self.brought.get(&wire.source_port)
            } else {
                Some(&self.rows[wire.source].hands_on)
            };
            let Some(makers) = makers else { continue };
            let contexts = brought.entry(inputs[wire.target_port].name.clone()).or_default();
            contexts.is_any |= makers.is_any();
            contexts.names.extend(makers.known().iter().filter_map(|&maker| self.name(maker)).cloned());
        }
        for port in overrides.get(&wiring.vertices[vertex].id).into_iter().flat_map(BTreeMap::keys) {
            brought.entry(port.clone()).or_default().is_any = true;
        }
        OuterContexts { names, brought }
    }

    /// The name, without an epoch, of the context that one of [`Makers`] makes.
    fn name(&self, maker: usize) -> Option<&ContextId> {
        match maker.checked_sub(self.rows.len()) {
            Some(outer) => self.outer.get(outer),
            None => self.rows[maker].declared.makes.as_ref(),
        }
    }

    /// The pairs `(maker, user)` in which the user names the context that the maker makes.
    pub fn named_pairs(&self) -> Vec<(usize, usize)> {
        let names = self.rows.iter().enumerate().flat_map(|(user, row)| {
            row.declared.names.iter().chain(&row.names_inside).map(move |name| (user, name))
        });
        let pairs = names.filter_map(|(user, name)| Some((*self.makers.get(name)?, user)));
        pairs.filter(|(maker, user)| maker != user).collect()
    }
}

/// Who may have made the contexts that edges bring to nodes inside a loop that work in them.
fn fed_into(
    wiring: &Wiring,
    vertex: usize,
    body: &BodyContexts,
    hands_on: &[Makers],
    brought: &BTreeMap<PortName, Makers>,
) -> Makers {
    let inputs = &wiring.vertices[vertex].node.ports().inputs;
    let mut fed = Makers::default();
    for wire in wiring.wires.iter().filter(|it| it.target == vertex && it.kind == PortKind::Context) {
        if !body.brought.contains(&inputs[wire.target_port].name) {
            continue;
        }
        if wiring.border.is_some_and(|border| border.begin == wire.source) {
            fed.merge(brought.get(&wire.source_port).unwrap_or(&Makers::default()));
        } else {
            fed.merge(&hands_on[wire.source]);
        }
    }
    fed
}

/// The possible makers of the contexts that nodes inside a loop take turns in. `fed` are the contexts that its edges
/// bring.
fn works_inside(
    body: &BodyContexts,
    fed: &Makers,
    makers: &BTreeMap<ContextId, usize>,
    outer: &mut OuterMakers<'_>,
) -> Makers {
    let mut all = fed.clone();
    for name in &body.names {
        all.merge(&makers.get(name).map_or_else(|| outer.of_name(name), |&maker| Makers::one(maker)));
    }
    if body.by_value {
        all.merge(&Makers::any());
    }
    all
}

/// Who may have made the contexts assigned to vertices by name or by value.
fn assigned_makers(
    wiring: &Wiring,
    declared: &[ContextDeclaration],
    makers: &BTreeMap<ContextId, usize>,
    outer: &mut OuterMakers<'_>,
) -> Vec<Option<Makers>> {
    let mut made_by =
        |name: &ContextId| makers.get(name).map_or_else(|| outer.of_name(name), |&maker| Makers::one(maker));
    let assigned = |declared: &ContextDeclaration| match &declared.names {
        Some(name) => Some(made_by(name)),
        None => declared.names_none.then(Makers::default),
    };
    let mut assigned: Vec<Option<Makers>> = declared.iter().map(assigned).collect();
    for wire in &wiring.wires {
        if declared[wire.target].takes_context_from(wiring, wire) {
            let is_maker = declared[wire.source].makes.is_some();
            let from = if is_maker { Makers::one(wire.source) } else { Makers::any() };
            assigned[wire.target].get_or_insert_default().merge(&from);
        }
    }
    assigned
}

/// Where the context edges of each vertex come from.
struct ContextSources {
    /// By vertex, the vertices.
    vertices: Vec<SmallVec<[usize; 1]>>,
    /// By vertex, who may have made what the border brings.
    brought: Vec<Makers>,
}

impl ContextSources {
    fn of(wiring: &Wiring, brought: &BTreeMap<PortName, Makers>) -> Self {
        let count = wiring.vertices.len();
        let mut sources =
            Self { vertices: vec![SmallVec::new(); count], brought: vec![Makers::default(); count] };
        for wire in wiring.wires.iter().filter(|wire| hands_on(wiring, wire)) {
            if wiring.border.is_none_or(|border| border.begin != wire.source) {
                sources.vertices[wire.target].push(wire.source);
            } else if let Some(makers) = brought.get(&wire.source_port) {
                sources.brought[wire.target].merge(makers);
            }
        }
        sources
    }

    /// Who may have made the contexts that come to a vertex over edges.
    fn merge(&self, vertex: usize, hands_on: &[Makers]) -> Makers {
        self.vertices[vertex].iter().fold(self.brought[vertex].clone(), |mut merged, &source| {
            merged.merge(&hands_on[source]);
            merged
        })
    }
}

/// Who may have made the contexts that vertices hand on.
fn handed_on_makers(
    declared: &[ContextDeclaration],
    assigned: &[Option<Makers>],
    sources: &ContextSources,
    topological: &[usize],
) -> Vec<Makers> {
    let mut hands_on: Vec<Makers> = (0..declared.len())
        .map(|vertex| match &assigned[vertex] {
            _ if declared[vertex].makes.is_some() => Makers::one(vertex),
            Some(assigned) => assigned.clone(),
            None => sources.brought[vertex].clone(),
        })
        .collect();
    // Pass after pass until nothing changes: each further pass carries makers over one more back wire. A pass only adds
    // makers, and a set stops growing once it counts as any, so there are few passes.
    let mut has_changed = true;
    while std::mem::take(&mut has_changed) {
        for &vertex in topological {
            let is_fixed = declared[vertex].makes.is_some() || assigned[vertex].is_some();
            if is_fixed || sources.vertices[vertex].is_empty() {
                continue;
            }
            let mut merged = hands_on[vertex].clone();
            for &source in &sources.vertices[vertex] {
                merged.merge(&hands_on[source]);
            }
            if merged != hands_on[vertex] {
                hands_on[vertex] = merged;
                has_changed = true;
            }
        }
    }
    hands_on
}
