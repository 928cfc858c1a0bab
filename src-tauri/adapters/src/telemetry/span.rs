//! A span, and ids that follow from the run: exporting a run twice gives the same ids.

use plait_core::id::RunId;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// The id of a trace: a run tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TraceId(pub [u8; 16]);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SpanId(pub [u8; 8]);

impl TraceId {
    pub fn of_tree(root: &RunId) -> Self {
        let hash = Sha256::digest(format!("plait trace {root}"));
        let mut id = [0; 16];
        id.copy_from_slice(&hash[..16]);
        Self(id)
    }
}

impl SpanId {
    /// The span that the entry at `seq` of a run's journal begins.
    pub fn of_entry(run: &RunId, seq: u64) -> Self {
        let hash = Sha256::digest(format!("plait span {run} {seq}"));
        let mut id = [0; 8];
        id.copy_from_slice(&hash[..8]);
        Self(id)
    }
}

/// The kinds of spans that are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind {
    /// Something within Plait.
    Internal,
    /// A request to another service.
    Client,
}

/// Something that happened within a span.
#[derive(Clone, Debug, PartialEq)]
pub struct SpanEvent {
    /// In milliseconds since the Unix epoch.
    pub at_ms: u64,
    pub name: &'static str,
    pub attributes: Vec<(&'static str, Value)>,
}

/// A span that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    pub trace: TraceId,
    pub id: SpanId,
    pub parent: Option<SpanId>,
    pub name: String,
    pub kind: SpanKind,
    /// In milliseconds since the Unix epoch.
    pub start_ms: u64,
    /// In milliseconds since the Unix epoch.
    pub end_ms: u64,
    /// Texts, numbers, booleans and lists of these.
    pub attributes: Vec<(&'static str, Value)>,
    pub events: Vec<SpanEvent>,
    /// The code of the error that it ended with.
    pub error: Option<String>,
}

impl Span {
    pub fn attribute(&self, name: &str) -> Option<&Value> {
        self.attributes.iter().find(|(key, _)| *key == name).map(|(_, value)| value)
    }
}
