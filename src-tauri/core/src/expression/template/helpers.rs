//! The helpers of templates in addition to Handlebars' own, and how values are written.

use handlebars::{
    Context, Handlebars, Helper, HelperDef, HelperResult, Output, RenderContext, RenderError,
    RenderErrorReason, ScopedJson,
};
use serde_json::Value;

use super::limits::MAX_OUTPUT_BYTES;
use super::pieces::{Copies, MARK, Mark, Recorded};
use crate::expression::as_text;

/// The helper that writes a plain `{{name}}`.
pub(super) const TEXT: &str = "__text";
/// The helper that counts one iteration of an `{{#each}}`.
pub(super) const STEP: &str = "__step";

/// The helper that refuses what an `{{#each}}` cannot go through.
pub(super) const LIST: &str = "__list";

/// Helpers that are called with values, including Handlebars' own, sorted.
pub(super) const VALUE_HELPERS: [&str; 17] = [
    "and", "default", "eq", "gt", "gte", "join", "json", "len", "lookup", "lower", "lt", "lte", "ne", "not",
    "or", "trim", "upper",
];
/// Helpers that open a block.
pub(super) const BLOCK_HELPERS: [&str; 13] =
    ["and", "each", "eq", "gt", "gte", "if", "lt", "lte", "ne", "not", "or", "unless", "with"];

/// Adds the helpers and removes the helpers that write to a log or leave text unparsed.
pub(super) fn register(engine: &mut Handlebars<'static>) {
    engine.unregister_helper("log");
    engine.unregister_helper("raw");
    engine.register_helper(STEP, Box::new(Step));
    engine.register_helper(LIST, Box::new(List));
    engine.register_helper(MARK, Box::new(Mark));
    let mut add = |name: &str, copies: Copies, helper: Function| {
        engine.register_helper(name, Box::new(Recorded { helper, copies }));
    };
    add(TEXT, Copies::Text, Function::new(1..=1, |values| Ok(Value::String(as_text(values[0])))));
    add(
        "default",
        Copies::FirstText,
        Function { arity: 0..=usize::MAX, missing_is_null: true, call: default },
    );
    add("json", Copies::Json, Function::new(1..=2, json));
    add("join", Copies::Items, Function::new(1..=2, join));
    add("len", Copies::Nothing, Function::new(1..=1, |values| Ok(length(values[0]))));
    let trim = Function::new(1..=1, |values| Ok(text(values, |text| text.trim().to_owned())));
    add("trim", Copies::TrimmedText, trim);
    add("upper", Copies::Nothing, Function::new(1..=1, |values| Ok(text(values, str::to_uppercase))));
    add("lower", Copies::Nothing, Function::new(1..=1, |values| Ok(text(values, str::to_lowercase))));
}

/// A helper that is a function of its values.
struct Function {
    arity: std::ops::RangeInclusive<usize>,
    /// Whether a missing value is null instead of an error.
    missing_is_null: bool,
    call: fn(&[&Value]) -> Result<Value, String>,
}

impl Function {
    fn new(arity: std::ops::RangeInclusive<usize>, call: fn(&[&Value]) -> Result<Value, String>) -> Self {
        Self { arity, missing_is_null: false, call }
    }
}

impl HelperDef for Function {
    fn call_inner<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        _: &'reg Handlebars<'reg>,
        _: &'rc Context,
        _: &mut RenderContext<'reg, 'rc>,
    ) -> Result<ScopedJson<'rc>, RenderError> {
        let values: Vec<&Value> = helper
            .params()
            .iter()
            .map(|param| {
                if param.is_value_missing() && !self.missing_is_null {
                    return Err(RenderError::strict_error(param.relative_path()));
                }
                Ok(param.value())
            })
            .collect::<Result<_, _>>()?;
        if !self.arity.contains(&values.len()) {
            let message =
                format!("`{}` takes {} to {} values", helper.name(), self.arity.start(), self.arity.end());
            return Err(RenderErrorReason::Other(message).into());
        }
        let value = (self.call)(&values).map_err(RenderErrorReason::Other)?;
        Ok(ScopedJson::Derived(value))
    }
}

/// Writes an empty text, which the output counts as a step.
struct Step;

impl HelperDef for Step {
    fn call<'reg: 'rc, 'rc>(
        &self,
        _: &Helper<'rc>,
        _: &'reg Handlebars<'reg>,
        _: &'rc Context,
        _: &mut RenderContext<'reg, 'rc>,
        out: &mut dyn Output,
    ) -> HelperResult {
        Ok(out.write("")?)
    }
}

/// Writes nothing. Fails with [`NotAList`] where a value is there that has no items.
struct List;

impl HelperDef for List {
    fn call<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        _: &'reg Handlebars<'reg>,
        _: &'rc Context,
        _: &mut RenderContext<'reg, 'rc>,
        _: &mut dyn Output,
    ) -> HelperResult {
        let Some(param) = helper.param(0).filter(|param| !param.is_value_missing()) else { return Ok(()) };
        let what = match param.value() {
            Value::String(_) => "a text",
            Value::Number(_) => "a number",
            Value::Bool(_) => "true or false",
            Value::Null | Value::Array(_) | Value::Object(_) => return Ok(()),
        };
        let path = param.relative_path().map_or_else(|| "its value".to_owned(), |path| format!("`{path}`"));
        Err(RenderErrorReason::NestedError(Box::new(NotAList { path, what })).into())
    }
}

/// The value of an `{{#each}}` has no items.
#[derive(Debug, thiserror::Error)]
#[error("`{{{{#each}}}}` goes through a list, but {path} is {what}.")]
pub(super) struct NotAList {
    path: String,
    what: &'static str,
}

/// `{{default a b}}`: the first of the values that is not empty, or the last one, as text.
#[expect(clippy::unnecessary_wraps, reason = "the signature of a `Function`")]
fn default(values: &[&Value]) -> Result<Value, String> {
    let chosen = values.iter().find(|value| !as_text(value).is_empty()).or(values.last());
    Ok(chosen.map_or(Value::Null, |value| Value::String(as_text(value))))
}

/// Applies `change` to a value's text. `Function` ensures that there is a value.
/// The items of a list, the members of an object, or the characters of a text; 0 of anything else. Handlebars' own counts bytes.
fn length(value: &Value) -> Value {
    let length = match value {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.len(),
        Value::Object(members) => members.len(),
        _ => 0,
    };
    length.into()
}

fn text(values: &[&Value], change: impl FnOnce(&str) -> String) -> Value {
    Value::String(change(&as_text(values[0])))
}

/// `{{json value}}` on one line; `{{json value true}}` over several.
fn json(values: &[&Value]) -> Result<Value, String> {
    let pretty = values.get(1).is_some_and(|pretty| pretty.as_bool() == Some(true));
    let written =
        if pretty { serde_json::to_string_pretty(values[0]) } else { serde_json::to_string(values[0]) };
    written.map(Value::String).map_err(|error| error.to_string())
}

/// `{{join list ", "}}`: the items as text, with the separator (a newline without one) between them.
fn join(values: &[&Value]) -> Result<Value, String> {
    let Value::Array(items) = values[0] else {
        return Err(format!("`join` takes a list, not {}", kind(values[0])));
    };
    let separator = values.get(1).map_or_else(|| "\n".to_owned(), |separator| as_text(separator));
    let items: Vec<String> = items.iter().map(as_text).collect();
    let bytes = items.iter().map(String::len).sum::<usize>();
    if separator.len().saturating_mul(items.len()).saturating_add(bytes) > MAX_OUTPUT_BYTES {
        return Err(format!("`join` writes more than {} MB of text", MAX_OUTPUT_BYTES >> 20));
    }
    Ok(Value::String(items.join(&separator)))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
