//! What an import may hold in all, its nested flows included. A file is small and what it stands for is not: a text can be read
//! by many nodes, and a graph can be called many times.

use std::cell::Cell;
use std::rc::Rc;

use serde_json::Value;

use super::MAX_NODES;
use plait_core::error::Fault;
use plait_formats::codes;
use plait_formats::foreign::MAX_BYTES;

/// How many bytes of text, settings and originals the nodes of an import may hold.
const MAX_TOTAL_BYTES: usize = 4 * MAX_BYTES;
/// How many nodes an import may make: some nodes of a file become several.
const MAX_MADE_NODES: usize = 4 * MAX_NODES;

/// The rest of the limits. Clones share it.
#[derive(Clone, Debug)]
pub(super) struct Budget(Rc<Left>);

#[derive(Debug)]
struct Left {
    bytes: Cell<usize>,
    /// Nodes of the file.
    nodes: Cell<usize>,
    /// Nodes of the flow.
    made: Cell<usize>,
    is_exceeded: Cell<bool>,
}

impl Budget {
    pub(super) fn new() -> Self {
        Self(Rc::new(Left {
            bytes: Cell::new(MAX_TOTAL_BYTES),
            nodes: Cell::new(MAX_NODES),
            made: Cell::new(MAX_MADE_NODES),
            is_exceeded: Cell::new(false),
        }))
    }

    /// Takes bytes. False if there are not so many left: the import fails, and may stop.
    pub(super) fn take_bytes(&self, count: usize) -> bool {
        let has_room = take(&self.0.bytes, count);
        self.note(has_room)
    }

    /// Takes a node of the flow.
    pub(super) fn take_made_node(&self) -> bool {
        let has_room = take(&self.0.made, 1);
        self.note(has_room)
    }

    /// Takes nodes of the file, each time a graph with them is read. False if there are not so many left; the import goes on
    /// without them.
    pub(super) fn take_nodes(&self, count: usize) -> bool {
        take(&self.0.nodes, count)
    }

    pub(super) fn is_exceeded(&self) -> bool {
        self.0.is_exceeded.get()
    }

    fn note(&self, has_room: bool) -> bool {
        if !has_room {
            self.0.is_exceeded.set(true);
        }
        has_room
    }

    /// An error if the import would hold more than its limits.
    pub fn check(&self) -> Result<(), Fault> {
        if !self.is_exceeded() {
            return Ok(());
        }
        let megabytes = MAX_TOTAL_BYTES >> 20;
        let message = format!(
            "With every text and flow where it is used, the file is larger than {megabytes} MB or {MAX_MADE_NODES} nodes."
        );
        Err(Fault::new(codes::IMPORT_TOO_LARGE, message).hint("Split the flow, and import the parts."))
    }
}

fn take(left: &Cell<usize>, count: usize) -> bool {
    match left.get().checked_sub(count) {
        Some(rest) => {
            left.set(rest);
            true
        }
        None => false,
    }
}

/// How many bytes a value holds, about. Bounded by the depth of the file.
pub(super) fn size(value: &Value) -> usize {
    /// What a value takes beside its texts.
    const VALUE_BYTES: usize = 16;
    VALUE_BYTES
        + match value {
            Value::String(text) => text.len(),
            Value::Array(items) => items.iter().map(size).sum(),
            Value::Object(entries) => entries.iter().map(|(key, value)| key.len() + size(value)).sum(),
            _ => 0,
        }
}
