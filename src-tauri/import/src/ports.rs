//! The ports that all nodes of a type have.

use std::collections::HashMap;
use std::sync::LazyLock;

use plait_core::port::{InputPort, OutputPort};
use plait_nodes::registry;

/// The inputs that all nodes of a type have.
pub(crate) fn inputs_of(node_type: &str) -> &'static [InputPort] {
    static INPUTS: LazyLock<HashMap<String, Vec<InputPort>>> = LazyLock::new(|| {
        let registry = registry();
        let inputs_of = |descriptor: &plait_run::node::NodeDescriptor| {
            let ports = descriptor.ports.clone().after();
            let inputs = ports.inputs.into_iter().chain(ports.inner_inputs).collect();
            (descriptor.node_type.clone(), inputs)
        };
        registry.descriptors().into_iter().map(inputs_of).collect()
    });
    INPUTS.get(node_type).map_or(&[], Vec::as_slice)
}

/// The outputs that all nodes of a type have.
pub(crate) fn outputs_of(node_type: &str) -> &'static [OutputPort] {
    static OUTPUTS: LazyLock<HashMap<String, Vec<OutputPort>>> = LazyLock::new(|| {
        let registry = registry();
        let descriptors = registry.descriptors().into_iter();
        descriptors.map(|found| (found.node_type.clone(), found.ports.outputs.clone())).collect()
    });
    OUTPUTS.get(node_type).map_or(&[], Vec::as_slice)
}
