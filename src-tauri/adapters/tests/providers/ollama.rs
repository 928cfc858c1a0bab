//! Ollama's native API.

mod failure;
mod reply;
mod request;

use plait_adapters::providers::ProviderKind;
use serde_json::Value;

use crate::server::{Answer, Step};

const KIND: ProviderKind = ProviderKind::Ollama;

/// One JSON document per line.
fn lines_of(lines: &[Value]) -> String {
    lines.iter().flat_map(|line| [line.to_string(), "\n".to_owned()]).collect()
}

fn stream(lines: &[Value]) -> Answer {
    Answer::lines(vec![Step::Send(lines_of(lines).into())])
}
