//! The table of the configuration names places in nodes; this holds it against what node types really have.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on ends")]

use plait_core::config::{ConfigForms, forms, keys};
use serde_json::json;

#[test]
fn every_place_in_a_node_is_in_the_schema_of_its_type() {
    let registry = plait_nodes::registry();
    let ConfigForms { limits, retry, .. } = forms();
    let policy = json!({ "properties": { "limits": limits, "retry": retry } });
    for key in keys() {
        for (node_type, pointer) in key.node_types() {
            let descriptor = registry.descriptor(node_type).unwrap_or_else(|| panic!("{node_type}"));
            let root = if pointer.starts_with("/config/") { &descriptor.config_schema } else { &policy };
            let parts = pointer.strip_prefix("/config").unwrap_or(pointer).split('/').skip(1);
            let field = parts.fold(root, |at, part| &at["properties"][part]);
            assert!(field.is_object(), "{}: {pointer} of {node_type}", key.name);
            if key.name.starts_with("agent.") {
                continue;
            }
            // Nodes and loops share the place of their quotas.
            let texts = keys().iter().filter(|key| key.node_types().any(|place| place.1 == pointer));
            assert!(
                texts.map(|key| key.help).any(|help| field["description"] == help),
                "{} of {node_type}",
                key.name
            );
            assert!(field["title"].is_string(), "{} of {node_type}", key.name);
            if let (Some(default), Some(built_in)) = (field.get("default"), key.built_in.value())
                && !default.is_null()
            {
                assert_eq!(*default, built_in, "{} of {node_type}", key.name);
            }
        }
    }
}
