//! `attachment.*`: images and files for messages: storing one, reading one, and which nodes of a flow take some.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use plait_core::attachment::{Attachment, AttachmentStore as _, inspect};
use plait_core::flow::Flow;
use plait_core::id::{AttachmentHash, NodeId};
use plait_core::port::ATTACH_PORT;
use plait_store::Store;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ErrorReply;
use crate::codes;
use crate::command::Command;

/// `attachment.add`: stores a file for a message and says what it is. `attachment.empty`, `attachment.too_large`,
/// `attachment.unknown_type`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct AddAttachment {
    /// The name of the file.
    pub name: String,
    /// Its bytes in base64.
    pub data: String,
}

impl AddAttachment {
    /// A file with these bytes.
    pub fn of(name: String, bytes: &[u8]) -> Self {
        Self { name, data: STANDARD.encode(bytes) }
    }
}

impl Command for AddAttachment {
    const NAME: &'static str = "attachment.add";
    type Service = AttachmentService;
    type Reply = Attachment;

    async fn run(self, service: &AttachmentService) -> Result<Attachment, ErrorReply> {
        let bytes = STANDARD.decode(&self.data).map_err(|error| {
            ErrorReply::new(
                codes::COMMAND_ARGUMENTS,
                format!("The bytes of a file are not in base64: {error}."),
            )
        })?;
        service.add(&self.name, bytes).await
    }
}

/// `attachment.get`: the bytes of an attachment, for a preview. `attachment.missing`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct GetAttachment {
    pub hash: AttachmentHash,
}

#[derive(Debug, Serialize, Deserialize, TS)]
pub struct AttachmentBytes {
    /// In base64.
    pub data: String,
}

impl Command for GetAttachment {
    const NAME: &'static str = "attachment.get";
    type Service = AttachmentService;
    type Reply = AttachmentBytes;

    async fn run(self, service: &AttachmentService) -> Result<AttachmentBytes, ErrorReply> {
        let bytes = service.store.get(&self.hash).await?;
        Ok(AttachmentBytes { data: STANDARD.encode(&bytes) })
    }
}

/// The attachments of the data directory.
#[derive(Clone)]
pub struct AttachmentService {
    store: Store,
}

impl AttachmentService {
    pub(crate) fn new(store: Store) -> Self {
        Self { store }
    }

    /// Stores a file and says what it is. Its reference holds no bytes.
    pub async fn add(&self, name: &str, bytes: Vec<u8>) -> Result<Attachment, ErrorReply> {
        let found = inspect(name, bytes.into())?;
        if let Some(data) = &found.data {
            self.store.put(&found.hash, Arc::clone(data)).await?;
        }
        Ok(Attachment { data: None, ..found })
    }
}

/// Where a flow takes files from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Taker {
    /// The input `attach` of a node, which no edge feeds.
    Input(NodeId),
    /// The answer to a question.
    Answer(NodeId),
}

impl Taker {
    pub fn node(&self) -> &NodeId {
        match self {
            Self::Input(node) | Self::Answer(node) => node,
        }
    }
}

/// The nodes of a flow that take files from outside, in the order of their ids.
pub fn takers(flow: &Flow) -> Vec<Taker> {
    let is_fed = |id: &NodeId| {
        flow.edges.values().any(|edge| edge.target == *id && edge.target_input.as_str() == ATTACH_PORT)
    };
    let taker = |(id, node): (&NodeId, &plait_core::flow::Node)| match node.node_type.as_str() {
        "chat" if !is_fed(id) => Some(Taker::Input(id.clone())),
        "userInput" if node.config.get("attachments").and_then(serde_json::Value::as_bool) == Some(true) => {
            Some(Taker::Answer(id.clone()))
        }
        _ => None,
    };
    flow.executable_nodes().filter_map(taker).collect()
}
