//! The reply of a flow as it is written.
//!
//! What was sent cannot be taken back. So the text of a call that is repeated is sent only as far as it goes on from what was sent,
//! and a reply that does not is an error.

use plait_api::ErrorReply;
use plait_core::flow::Flow;
use plait_core::id::NodeId;
use plait_journal::{CallEvent, Entry, Event, NodeEvent};

use crate::codes;

/// What comes between the text before a call of a tool and the text after it.
const BREAK: &str = "\n\n";

/// Follows the node that writes the reply.
pub(crate) struct StreamedReply {
    node: Option<NodeId>,
    /// What was sent since the last call of a tool.
    sent: String,
    /// What the current attempt has written since then.
    written: String,
    /// Whether text was sent before that call.
    has_earlier: bool,
}

impl StreamedReply {
    /// For a run of the flow.
    pub(crate) fn of(flow: &Flow) -> Self {
        Self { node: writer(flow), sent: String::new(), written: String::new(), has_earlier: false }
    }

    /// The text to send after an event.
    pub(crate) fn take(&mut self, entry: &Entry) -> Option<String> {
        match &entry.event {
            Event::Node(at, NodeEvent::Delta { text, .. }) if self.is_writer(&at.node) => {
                self.written.push_str(text);
                self.send_written()
            }
            Event::Node(at, NodeEvent::Retrying { .. }) if self.is_writer(&at.node) => {
                self.written.clear();
                None
            }
            Event::Call(at, CallEvent::ToolCalled { .. }) if self.is_writer(&at.node) => {
                self.has_earlier |= !self.sent.is_empty();
                self.sent.clear();
                self.written.clear();
                None
            }
            _ => None,
        }
    }

    /// What is left to send of the whole reply. `chat.reply_changed`.
    pub(crate) fn finish(&mut self, reply: &str) -> Result<Option<String>, ErrorReply> {
        reply.clone_into(&mut self.written);
        if !self.written.starts_with(&self.sent) {
            let message = "The reply of the flow does not begin with the text that was streamed.";
            return Err(ErrorReply::new(codes::CHAT_REPLY_CHANGED, message)
                .hint("Send the request again, or without `stream`."));
        }
        Ok(self.send_written())
    }

    fn send_written(&mut self) -> Option<String> {
        let more = self.written.strip_prefix(self.sent.as_str()).filter(|more| !more.is_empty())?;
        let before = if self.sent.is_empty() && self.has_earlier { BREAK } else { "" };
        let text = format!("{before}{more}");
        self.sent.clone_from(&self.written);
        Some(text)
    }

    fn is_writer(&self, node: &NodeId) -> bool {
        self.node.as_ref() == Some(node)
    }
}

/// The chat node whose text is the reply, where the flow says so: the one whose response the only output is, or the only one of a
/// flow without outputs. The reply of other flows is sent when it is whole.
fn writer(flow: &Flow) -> Option<NodeId> {
    let of_type = |of: &str| {
        flow.nodes.iter().filter(|(_, node)| node.node_type == of).map(|(id, _)| id).collect::<Vec<_>>()
    };
    match (of_type("output").as_slice(), of_type("chat").as_slice()) {
        ([], [only]) => Some((*only).clone()),
        ([output], chats) => {
            let mut feeding = flow.edges.values().filter(|edge| edge.target == **output);
            let (edge, None) = (feeding.next()?, feeding.next()) else { return None };
            let is_response = chats.contains(&&edge.source) && edge.source_output.as_str() == "response";
            is_response.then(|| edge.source.clone())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
