//! The node types, one file each, and the registry of them all.

use crate::node::Registry;

/// Every node type of Plait.
pub fn registry() -> Registry {
    Registry::default()
}
