//! Where the values come from that a run was given: the texts of the caller, and the files that a person attached.

use std::collections::BTreeMap;

use plait_core::attachment::origins_of_attachments;
use plait_core::id::{NodeId, PortName};
use plait_core::origin::Origins;
use plait_journal::InputOverrides;

#[derive(Default)]
pub(super) struct GivenOrigins {
    all: Origins,
    /// By node and port, the files that were attached for it.
    attached: BTreeMap<NodeId, BTreeMap<PortName, Origins>>,
}

impl GivenOrigins {
    /// `by_person`: a person gave the values, and no run above. A run above says itself where its values come from.
    pub(super) fn new(all: &Origins, values: &InputOverrides, by_person: bool) -> Self {
        let mut attached: BTreeMap<NodeId, BTreeMap<PortName, Origins>> = BTreeMap::new();
        let all_values = values.iter().flat_map(|(node, ports)| ports.iter().map(move |port| (node, port)));
        for (node, (port, value)) in all_values.filter(|_| by_person) {
            let origins = origins_of_attachments(value);
            if !origins.is_empty() {
                attached.entry(node.clone()).or_default().insert(port.clone(), origins);
            }
        }
        Self { all: all.clone(), attached }
    }

    /// Where the value comes from that was given for a port.
    pub(super) fn of_port(&self, node: &NodeId, port: &PortName) -> Origins {
        let attached = self.attached.get(node).and_then(|ports| ports.get(port));
        Origins::union([&self.all].into_iter().chain(attached))
    }
}

#[cfg(test)]
mod tests;
