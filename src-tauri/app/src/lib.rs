//! What the application is made of: all node types and all importers.
//!
//! The programs take it from here, so that no command and no crate below depends on a node type or an importer. Refuses to decide anything
//! else.

use std::sync::Arc;

use plait_api::Parts;
use plait_import::Importers;

/// All node types and importers.
pub fn parts() -> Parts {
    Parts { registry: Arc::new(plait_nodes::registry()), importer: Arc::new(Importers) }
}
