//! The Chat Completions API, of OpenAI and compatible servers.

mod failure;
mod quirks;
mod reply;
mod request;

use plait_adapters::providers::ProviderKind;
use serde_json::Value;

use crate::server::events;

const KIND: ProviderKind = ProviderKind::OpenAi;

/// The text of a stream with these events and its end mark.
fn stream_of(all: &[Value]) -> String {
    format!("{}data: [DONE]\n\n", events(all))
}
