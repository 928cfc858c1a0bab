//! Why a check can't be used: it can't be read, or whatever the run did, it would pass.

use plait_core::expression::condition::StopCondition;
use plait_core::expression::schema::check_schema;
use regex::Regex;
use regex_syntax::hir::{Look, LookSet};
use serde_json::{Map, Value};
use serde_json_path::JsonPath;

use crate::document::{Check, JsonPathCheck};
use crate::matrix::split_model;

/// Where in the check, and why.
pub(super) fn problem(check: &Check) -> Option<(&'static str, String)> {
    match check {
        Check::Contains(check) => empty(&check.text).map(|problem| ("contains/text", problem)),
        Check::Prompt(check) => empty(&check.contains).map(|problem| ("prompt/contains", problem)),
        Check::Regex(check) => pattern(&check.pattern).map(|problem| ("regex/pattern", problem)),
        Check::JsonPath(check) => json_path(check).map(|problem| ("jsonPath/path", problem)),
        Check::Schema(check) => schema(&check.schema).map(|problem| ("schema/schema", problem)),
        Check::Condition(check) => {
            StopCondition::new(&check.when).problem().map(|problem| ("condition/when", problem.to_owned()))
        }
        Check::MaxCost(most) => bound(*most).map(|problem| ("maxCost", problem)),
        Check::MaxSeconds(most) => bound(*most).map(|problem| ("maxSeconds", problem)),
        Check::Tool(check) => unnamed(&check.name).map(|problem| ("tool/name", problem)),
        Check::Rubric(check) => match split_model(&check.model) {
            Err(problem) => Some(("rubric/model", problem)),
            Ok(_) => empty(check.text.trim()).map(|problem| ("rubric/text", problem)),
        },
        Check::Equals(_) | Check::Unchanged(_) | Check::MaxTokens(_) => None,
    }
}

fn empty(text: &str) -> Option<String> {
    text.is_empty().then(|| "the text is empty, so it would always pass".to_owned())
}

/// Nobody calls a tool without a name, so that `times: 0` would always pass.
fn unnamed(name: &str) -> Option<String> {
    name.trim().is_empty().then(|| "the name of the tool is empty".to_owned())
}

fn pattern(pattern: &str) -> Option<String> {
    if let Err(error) = Regex::new(pattern) {
        return Some(error.to_string());
    }
    let parsed = regex_syntax::parse(pattern).ok()?;
    let properties = parsed.properties();
    // An empty match that only asks for the begin of a text, or only for its end, is in every text.
    let only = |edges: [Look; 3]| {
        let edges = edges.into_iter().fold(LookSet::empty(), LookSet::insert);
        properties.look_set().subtract(edges).is_empty()
    };
    let is_everywhere = properties.minimum_len() == Some(0)
        && (only([Look::Start, Look::StartLF, Look::StartCRLF])
            || only([Look::End, Look::EndLF, Look::EndCRLF]));
    is_everywhere.then(|| "it matches an empty text, which is in every text".to_owned())
}

fn json_path(JsonPathCheck { path, values, .. }: &JsonPathCheck) -> Option<String> {
    if let Err(error) = JsonPath::parse(path) {
        return Some(error.to_string());
    }
    let is_root = path.trim() == "$" && values.is_none();
    is_root.then(|| "`$` is the output itself, which is always there".to_owned())
}

/// The keywords that restrict nothing.
const ANNOTATIONS: &[&str] = &[
    "$comment",
    "$defs",
    "$id",
    "$schema",
    "default",
    "deprecated",
    "description",
    "examples",
    "readOnly",
    "title",
    "writeOnly",
];

fn schema(schema: &Map<String, Value>) -> Option<String> {
    if let Some(problem) = check_schema(&Value::Object(schema.clone())) {
        return Some(problem);
    }
    let is_open = schema.keys().all(|keyword| ANNOTATIONS.contains(&keyword.as_str()));
    is_open.then(|| "every value matches the schema".to_owned())
}

fn bound(most: f64) -> Option<String> {
    (!most.is_finite() || most < 0.0).then(|| "it is no number from 0 on".to_owned())
}

#[cfg(test)]
mod tests;
