//! Texts of a declaration with the arguments of a call.

use plait_core::expression::as_text;
use plait_llm::http_tool::placeholder::{Part, lookup, parse};
use serde_json::Value;

/// A text with its placeholders filled; absent arguments are empty.
pub(super) fn render_text(text: &str, arguments: &Value) -> String {
    let parts = parse(text).into_iter().map(|part| match part {
        Part::Text(text) => text.to_owned(),
        Part::Placeholder(name) => lookup(arguments, name).map(as_text).unwrap_or_default(),
    });
    parts.collect()
}
