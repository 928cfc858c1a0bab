//! Recognizes a tool call that a model wrote into the text of its reply, as models do whose server does not read their calls.
//! Nothing is called because of it: a text may only quote a call.

use serde_json::Value;

use super::reply_schema::json_candidates;
use crate::codes;
use plait_core::error::Fault;
use plait_llm::tool::ToolSpec;

/// What calls begin with in the formats that models are trained on. Texts for people have none of them.
const MARKERS: [&str; 12] = [
    "<tool_call>",
    "<tool_calls>",
    "<function=",
    "<function_call>",
    "<function_calls>",
    "<invoke name=",
    "[TOOL_CALLS]",
    "[TOOL_REQUEST]",
    "<|python_tag|>",
    "<|tool_call",
    "<｜tool▁call",
    "to=functions.",
];
/// Where a call in JSON names its tool, and where its arguments are.
const NAME_KEYS: [&str; 4] = ["name", "tool", "tool_name", "function"];
const ARGUMENT_KEYS: [&str; 6] = ["arguments", "parameters", "args", "input", "tool_input", "action_input"];
/// What a call in JSON stands in.
const WRAPPER_KEYS: [&str; 4] = ["tool_calls", "tool_call", "function_call", "function"];
const MAX_WRAPPERS: usize = 3;

/// The notice about a text that is a call of an offered tool. A reply that has to follow a schema `is_structured`: its JSON is no call.
pub(super) fn find_call_in_text(text: &str, tools: &[ToolSpec], is_structured: bool) -> Option<Fault> {
    let tool = tools.iter().find(|tool| {
        is_marked_call(text, &tool.name)
            || is_react_call(text, &tool.name)
            || (!is_structured && is_json_call(text, &tool.name))
    })?;
    let message = format!(
        "The model wrote a call of `{}` into the text of its reply instead of calling the tool. The tool was not called.",
        tool.name
    );
    let hint = "Turn on tool calls at the model server (llama.cpp: `--jinja`; vLLM: `--enable-auto-tool-choice`), or use a model that calls tools.";
    Some(Fault::new(codes::CHAT_TOOL_CALL_IN_TEXT, message).hint(hint))
}

/// Whether a call with a marker names the tool: the name follows the first marker, as a word.
fn is_marked_call(text: &str, name: &str) -> bool {
    let start = MARKERS.iter().filter_map(|marker| text.find(marker)).min();
    start.is_some_and(|start| has_word(&text[start..], name))
}

/// Whether the text has the lines `Action: NAME` and `Action Input: …`.
fn is_react_call(text: &str, name: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    lines.any(|line| line.strip_prefix("Action:").is_some_and(|action| action.trim() == name))
        && lines.any(|line| line.starts_with("Action Input:"))
}

/// Whether the text is JSON, maybe in a code fence, that calls the tool.
fn is_json_call(text: &str, name: &str) -> bool {
    // Most replies have no JSON.
    text.contains(name)
        && json_candidates(text)
            .into_iter()
            .filter_map(|candidate| serde_json::from_str(candidate).ok())
            .any(|value: Value| calls_tool(&value, name, MAX_WRAPPERS))
}

fn calls_tool(value: &Value, name: &str, wrappers: usize) -> bool {
    match value {
        Value::Array(calls) => calls.iter().any(|call| calls_tool(call, name, wrappers)),
        Value::Object(call) => {
            let names_tool = NAME_KEYS.iter().any(|key| call.get(*key).and_then(Value::as_str) == Some(name));
            let has_arguments = ARGUMENT_KEYS.iter().any(|key| call.contains_key(*key));
            (names_tool && has_arguments)
                || (wrappers > 0
                    && WRAPPER_KEYS
                        .iter()
                        .filter_map(|key| call.get(*key))
                        .any(|inner| calls_tool(inner, name, wrappers - 1)))
        }
        _ => false,
    }
}

fn has_word(text: &str, word: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

#[cfg(test)]
mod tests;
