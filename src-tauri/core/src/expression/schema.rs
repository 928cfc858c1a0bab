//! JSON Schemas of external values: a person's answer to a pause, a model's structured reply.
//!
//! Nothing is fetched: a schema that refers to another document is refused. Neither compiling nor validating takes
//! long: the size of a schema, its patterns and the steps of a validation are bounded, and a schema that could exceed a
//! bound is refused.

mod cost;

use jsonschema::{PatternOptions, Validator};
use serde_json::{Value, json};

use crate::codes;
use crate::error::Fault;

/// At most this many violations are reported.
const MAX_VIOLATIONS: usize = 3;
/// Maximum values that a schema consists of.
const MAX_SCHEMA_VALUES: usize = 20_000;
/// Maximum regular expressions in a schema. Compiling one costs a millisecond at most.
const MAX_PATTERNS: usize = 200;
/// Maximum size of a compiled regular expression, in bytes. The default of the regex library, 10 MB, takes 12 ms.
const MAX_PATTERN_BYTES: usize = 1 << 20;
/// Maximum steps of a regular expression that backtracks.
const MAX_BACKTRACKS: usize = 100_000;

/// Checks an answer against the schema of its pause. The fault `answer.invalid` lists the violations.
pub fn check_answer(schema: &Value, answer: &Value) -> Result<(), Fault> {
    let violations =
        find_violations(schema, answer).map_err(|message| Fault::new(codes::ANSWER_SCHEMA, message))?;
    if violations.is_empty() {
        return Ok(());
    }
    let message = format!("The answer does not match the schema: {}.", violations.join("; "));
    Err(Fault::new(codes::ANSWER_INVALID, message)
        .hint("Answer with a value that matches the schema of the question.")
        .details(json!({ "schema": schema })))
}

/// The problem with a schema itself, if there is one.
pub fn check_schema(schema: &Value) -> Option<String> {
    if !schema.is_object() && !schema.is_boolean() {
        return Some("A JSON Schema is an object, for example `{\"type\": \"string\"}`.".to_owned());
    }
    compile(schema).err()
}

/// Compiles a schema within the limits. The error names the problem.
pub fn compile(schema: &Value) -> Result<Validator, String> {
    let Size { values, patterns } = Size::of(schema);
    if values > MAX_SCHEMA_VALUES {
        return Err(format!("This JSON Schema has more than {MAX_SCHEMA_VALUES} values; make it smaller."));
    }
    if patterns > MAX_PATTERNS {
        return Err(format!("This JSON Schema has {patterns} patterns; the maximum is {MAX_PATTERNS}."));
    }
    // What refers to itself without end does so for any value.
    cost::check(schema, &Value::Null).map_err(refuse)?;
    let patterns =
        PatternOptions::fancy_regex().backtrack_limit(MAX_BACKTRACKS).size_limit(MAX_PATTERN_BYTES);
    jsonschema::options()
        .with_pattern_options(patterns)
        .build(schema)
        .map_err(|error| format!("This is not a JSON Schema: {error}."))
}

/// Whether `value` matches `schema`. Not if `schema` is not a schema, or if it takes too many steps for this value.
pub fn accepts(schema: &Value, value: &Value) -> bool {
    find_violations(schema, value).is_ok_and(|violations| violations.is_empty())
}

/// Where `value` does not match `schema`, at most [`MAX_VIOLATIONS`] places. An error if `schema` is not a schema, or if it
/// takes too many steps for this value.
pub fn find_violations(schema: &Value, value: &Value) -> Result<Vec<String>, String> {
    let validator = compile(schema)?;
    cost::check(schema, value).map_err(refuse)?;
    let violations = validator.iter_errors(value).take(MAX_VIOLATIONS).map(|error| {
        let path = error.instance_path().to_string();
        if path.is_empty() { error.to_string() } else { format!("{error} (at {path})") }
    });
    Ok(violations.collect())
}

fn refuse(refusal: cost::Refusal) -> String {
    format!("This JSON Schema cannot be used: {}.", refusal.reason())
}

/// How much a schema holds.
struct Size {
    values: usize,
    patterns: usize,
}

impl Size {
    fn of(schema: &Value) -> Self {
        let mut size = Self { values: 0, patterns: 0 };
        let mut rest = vec![schema];
        while let Some(value) = rest.pop() {
            size.values += 1;
            match value {
                Value::Array(items) => rest.extend(items),
                Value::Object(members) => {
                    size.patterns += usize::from(members.contains_key("pattern"));
                    size.patterns += members
                        .get("patternProperties")
                        .and_then(Value::as_object)
                        .map_or(0, serde_json::Map::len);
                    rest.extend(members.values());
                }
                _ => {}
            }
        }
        size
    }
}

#[cfg(test)]
mod tests;
