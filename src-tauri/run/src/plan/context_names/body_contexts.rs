//! What the nodes in the body of a loop work in that is made outside of it.

use std::collections::{BTreeMap, BTreeSet};

use super::{ContextDeclaration, hands_on};
use crate::plan::input_overrides::InputOverrides;
use crate::plan::wiring::Wiring;
use plait_core::id::{ContextId, PortName};
use plait_core::port::PortKind;

/// How the body of a loop gets contexts from outside, apart from edges.
#[derive(Clone, Debug, Default)]
pub(in crate::plan) struct BodyContexts {
    /// The contexts that nodes in it name and none in it makes.
    pub(super) names: BTreeSet<ContextId>,
    /// A value that no maker in it hands over names a context at run time, so it may be any.
    pub(super) by_value: bool,
    /// The outputs of the border's begin that bring a context in which a node inside works.
    pub(super) brought: BTreeSet<PortName>,
}

impl BodyContexts {
    /// Of a body and all bodies inside. The depth of the recursion is limited by that of loops.
    pub fn of(body: &Wiring, overrides: &InputOverrides) -> Self {
        let mut found = Self::default();
        let mut made = BTreeSet::new();
        let declared: Vec<_> = body
            .vertices
            .iter()
            .map(|vertex| ContextDeclaration::of(&vertex.id, &*vertex.node, overrides))
            .collect();
        let inner: BTreeMap<usize, Self> =
            body.bodies.iter().map(|(vertex, inner)| (*vertex, Self::of(inner, overrides))).collect();
        let mut used = Vec::new();
        for wire in body.wires.iter().filter(|wire| wire.kind == PortKind::Context) {
            let target = &body.vertices[wire.target];
            let is_used = match inner.get(&wire.target) {
                Some(inner) => inner.brought.contains(&target.node.ports().inputs[wire.target_port].name),
                None => target.node.behavior().uses_context && declared[wire.target].is_by_edge(),
            };
            if is_used {
                used.push(wire);
            }
        }
        // Back to the border, past the nodes that hand a context on.
        let mut seen = BTreeSet::new();
        while let Some(wire) = used.pop() {
            if body.border.is_some_and(|border| border.begin == wire.source) {
                found.brought.insert(wire.source_port.clone());
            } else if declared[wire.source].makes.is_none()
                && declared[wire.source].is_by_edge()
                && seen.insert(wire.source)
            {
                used.extend(body.wires.iter().filter(|it| it.target == wire.source && hands_on(body, it)));
            }
        }
        found.by_value = body.wires.iter().any(|wire| {
            declared[wire.target].takes_context_from(body, wire) && declared[wire.source].makes.is_none()
        });
        for declared in declared {
            found.names.extend(declared.names);
            made.extend(declared.makes);
        }
        for inner in inner.into_values() {
            found.by_value |= inner.by_value;
            found.names.extend(inner.names);
        }
        found.names.retain(|name| !made.contains(name));
        found
    }
}
