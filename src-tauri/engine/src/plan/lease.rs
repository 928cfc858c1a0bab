//! Who shares a context, and in which order they take their turns.
//!
//! Nodes that use one context and have no path between them run in plan order, whatever their timing: planning joins
//! them by edges that carry no value and only make the later one wait. Which context a node uses is followed along
//! context edges to the node that makes it, or to one that was told another and hands that on; a node that is told its
//! context at run time may use any.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::unionfind::UnionFind;
use smallvec::SmallVec;

use super::wiring::Wiring;
use crate::id::ContextId;
use crate::port::PortKind;

/// The makers of the contexts a node may work in; more than [`MANY`] count as any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Origins {
    makers: SmallVec<[usize; 2]>,
    any: bool,
}

const MANY: usize = 8;

impl Origins {
    fn of(maker: usize) -> Self {
        Self { makers: SmallVec::from_iter([maker]), any: false }
    }

    fn any() -> Self {
        Self { makers: SmallVec::new(), any: true }
    }

    fn merge(&mut self, other: &Self) {
        self.any |= other.any;
        for maker in &other.makers {
            if !self.any && !self.makers.contains(maker) {
                self.makers.push(*maker);
                self.any = self.makers.len() > MANY;
            }
        }
    }

    /// The one maker, where there is exactly one.
    pub fn only(&self) -> Option<usize> {
        match (self.makers.as_slice(), self.any) {
            ([maker], false) => Some(*maker),
            _ => None,
        }
    }
}

/// The makers of the context that each vertex is told to work in, by a name or by a value; nothing where it goes by its
/// context edge. Who is told one hands that one on, whatever its edge brings.
pub(super) fn addressed(
    wiring: &Wiring,
    told: &[Option<ContextId>],
    makers: &BTreeMap<ContextId, usize>,
) -> Vec<Option<Origins>> {
    let named = |id: &ContextId| makers.get(id).map_or_else(Origins::any, |&maker| Origins::of(maker));
    let mut addressed: Vec<_> = told.iter().map(|id| id.as_ref().map(named)).collect();
    for wire in &wiring.wires {
        let target = &wiring.vertices[wire.target].node;
        let Some(port) = target.behavior().uses_context_from else { continue };
        if told[wire.target].is_some() || target.ports().inputs[wire.target_port].name.as_str() != port {
            continue;
        }
        let made = wiring.vertices[wire.source].node.behavior().makes_context;
        let from = if made { Origins::of(wire.source) } else { Origins::any() };
        addressed[wire.target].get_or_insert_default().merge(&from);
    }
    addressed
}

/// The vertices whose context edges feed each vertex.
fn context_sources(wiring: &Wiring) -> BTreeMap<usize, Vec<usize>> {
    let mut sources: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for wire in wiring.wires.iter().filter(|wire| wire.kind == PortKind::Context) {
        sources.entry(wire.target).or_default().push(wire.source);
    }
    sources
}

/// The makers of the context that each vertex hands on; of one that has no context output, of the context it works in.
pub(super) fn origins(wiring: &Wiring, addressed: &[Option<Origins>], order: &[usize]) -> Vec<Origins> {
    let mut origins = vec![Origins::default(); wiring.vertices.len()];
    let incoming = context_sources(wiring);
    // In plan order, until nothing changes: each further pass carries what came over one more back edge. A pass only adds,
    // and a set stops growing once it counts as any, so passes are few.
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for &vertex in order {
            let mut found = if wiring.vertices[vertex].node.behavior().makes_context {
                Origins::of(vertex)
            } else if let Some(told) = &addressed[vertex] {
                told.clone()
            } else {
                let mut found = origins[vertex].clone();
                for source in incoming.get(&vertex).into_iter().flatten() {
                    let from = origins[*source].clone();
                    found.merge(&from);
                }
                found
            };
            std::mem::swap(&mut origins[vertex], &mut found);
            changed |= origins[vertex] != found;
        }
    }
    origins
}

/// The makers of the contexts each vertex takes turns in; none where it takes none.
pub(super) fn used(wiring: &Wiring, origins: &[Origins], addressed: &[Option<Origins>]) -> Vec<Origins> {
    let incoming = context_sources(wiring);
    let used = |(vertex, told): (usize, &Option<Origins>)| {
        if let Some(told) = told {
            return told.clone();
        }
        let mut found = Origins::default();
        if wiring.vertices[vertex].node.behavior().uses_context {
            for &source in incoming.get(&vertex).into_iter().flatten() {
                found.merge(&origins[source]);
            }
        }
        found
    };
    addressed.iter().enumerate().map(used).collect()
}

/// The groups of vertices that share a context, each in plan order. Only groups of two or more.
pub(super) fn groups(used: &[Origins], order: &[usize]) -> Vec<Vec<usize>> {
    // Vertices that may use several contexts join their groups to one; one that may use any joins all.
    let mut joined = UnionFind::<usize>::new(used.len());
    let makers: BTreeSet<usize> = used.iter().flat_map(|origins| origins.makers.iter().copied()).collect();
    let all: Vec<usize> = makers.iter().copied().collect();
    let sets =
        used.iter().map(|origins| if origins.any { all.as_slice() } else { origins.makers.as_slice() });
    for pair in sets.flat_map(|set| set.windows(2)) {
        joined.union(pair[0], pair[1]);
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for &vertex in order {
        let origins = &used[vertex];
        let first = origins.makers.first().or_else(|| makers.first().filter(|_| origins.any));
        let group = match first {
            Some(&maker) => joined.find(maker),
            // No context is made in this flow at all: what is told one at run time will fail, one after the other.
            None if origins.any => usize::MAX,
            None => continue,
        };
        groups.entry(group).or_default().push(vertex);
    }
    groups.into_values().filter(|group| group.len() > 1).collect()
}

/// Where a context may be named by a value that is only known at run time, whether it is there by then must not be left
/// to timing either: each such user waits for the makers before it in plan order, and those behind it wait for it. Who is
/// made inside of cycles can't be named.
pub(super) fn made_in_turn(
    wiring: &Wiring,
    addressed: &[Option<Origins>],
    clocks: &[Vec<usize>],
    order: &[usize],
) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let (mut latest, mut makers) = (None, Vec::new());
    for &vertex in order {
        if addressed[vertex].as_ref().is_some_and(|told| told.any) {
            pairs.extend(makers.drain(..).map(|maker| (maker, vertex)));
            latest = Some(vertex);
        } else if wiring.vertices[vertex].node.behavior().makes_context && clocks[vertex].is_empty() {
            pairs.extend(latest.map(|user| (user, vertex)));
            makers.push(vertex);
        }
    }
    pairs
}
