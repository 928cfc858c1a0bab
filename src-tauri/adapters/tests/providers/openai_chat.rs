//! Chat completions, OpenAI's and those of its many likes.

mod failure;
mod reply;
mod request;

use plait_adapters::providers::ProviderKind;
use serde_json::Value;

use crate::server::events;

const KIND: ProviderKind = ProviderKind::OpenAi;

/// The text of a stream: each of `events` as one, and the end.
fn stream_of(all: &[Value]) -> String {
    format!("{}data: [DONE]\n\n", events(all))
}
