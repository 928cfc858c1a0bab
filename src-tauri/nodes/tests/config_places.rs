//! The table of configuration names places in nodes; this holds it against what node types really have.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by them")]

use plait_core::config::keys;
use serde_json::Value;

#[test]
fn every_place_in_a_node_is_in_the_schema_of_its_type() {
    let registry = plait_nodes::registry();
    let policy = serde_json::to_value(schemars::schema_for!(plait_core::flow::Node)).unwrap();
    for key in keys() {
        for (node_type, pointer) in key.node_types() {
            let descriptor = registry.descriptor(node_type).unwrap_or_else(|| panic!("{node_type}"));
            let root = if pointer.starts_with("/config/") { &descriptor.config_schema } else { &policy };
            let mut at = root;
            let parts = pointer.strip_prefix("/config").unwrap_or(pointer).split('/').skip(1);
            for part in parts {
                at = property(root, at, part)
                    .unwrap_or_else(|| panic!("{}: {pointer} of {node_type}", key.name));
            }
            if let (Some(default), Some(built_in)) = (at.get("default"), key.built_in.value())
                && !default.is_null()
                && !key.name.starts_with("agent.")
            {
                assert_eq!(*default, built_in, "{} of {node_type}", key.name);
            }
        }
    }
}

/// A property of a schema, through references and alternatives.
fn property<'s>(root: &'s Value, schema: &'s Value, name: &str) -> Option<&'s Value> {
    if let Some(found) = schema.pointer(&format!("/properties/{name}")) {
        return Some(found);
    }
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return property(root, root.pointer(reference.strip_prefix('#')?)?, name);
    }
    let alternatives = ["anyOf", "allOf", "oneOf"].into_iter().filter_map(|of| schema.get(of)?.as_array());
    alternatives.flatten().find_map(|one| property(root, one, name))
}
