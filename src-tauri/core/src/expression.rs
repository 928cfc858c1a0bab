//! The small languages that a flow's config contains: templates (Handlebars, Jinja), conditions (CEL), queries (jq), JSON Schemas.
//!
//! Owns parsing, static bounds and evaluation. An expression comes from a flow file, which may come from anyone, so each
//! language is bounded in size, nesting, steps and output, and reads nothing but the values it is given. What these bounds
//! do not prove small is evaluated where it can be stopped ([`evaluation`]). Expressions that
//! do not compile are kept with their error, so that `check` can report it at its place in the flow. Refuses to know nodes
//! and runs.

mod compile_cache;
pub mod condition;
mod deep_stack;
mod equality;
pub mod evaluation;
pub mod in_process;
pub mod query;
pub mod schema;
mod syntax;
pub mod template;

pub use deep_stack::STACK_BYTES;
pub use equality::values_equal;

use serde_json::Value;

/// The name by which templates, queries and conditions read the answers of people in the loop around their node: a list
/// of `{node, question, answer}`. It is no input.
pub const HITL_HISTORY: &str = "hitl_history";

/// Whether a value counts as true: neither null, false, 0, nor empty.
pub fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(entries) => !entries.is_empty(),
    }
}

/// A value as text: a string as it is, null as an empty text, anything else as JSON.
pub fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
