//! Web pages as jobs: HTML becomes Markdown, which takes a model a tenth of the tokens.
//!
//! A page comes from anywhere, and a parser that recurses over its nesting can end its process.

use std::time::Duration;

use plait_core::error::Fault;
use serde_json::Value;

use super::stopped::Stopped;
use crate::codes;

pub(super) const TIME_LIMIT: Duration = Duration::from_secs(5);
/// Elements without use for a model.
const SKIPPED_TAGS: [&str; 8] = ["script", "style", "noscript", "svg", "iframe", "head", "template", "form"];

/// The Markdown of a page.
pub(super) fn to_markdown(html: &str) -> Result<Value, Fault> {
    let converter = htmd::HtmlToMarkdown::builder().skip_tags(SKIPPED_TAGS.to_vec()).build();
    converter.convert(html).map(Value::String).map_err(|error| {
        Fault::new(codes::TOOL_NOT_TEXT, format!("The page can't be read as HTML: {error}."))
    })
}

pub(super) fn stopped(why: Stopped) -> Fault {
    let message = match why {
        Stopped::InputTooLarge => "The page is too large to be read.",
        Stopped::Time => "The page was not read: that takes too long.",
        Stopped::Memory => "The page was not read: it nests too deeply, or takes too much memory.",
    };
    Fault::new(codes::TOOL_TOO_LARGE, message).hint("Fetch another page.")
}
