//! The template that writes a history as text, for models that take a prompt only.
//!
//! It sees nothing but `history`, a list of objects with `role` and `content`. A content must not look like another
//! turn; the necessary escapes depend on how the template separates turns. Rendering it once with marks in place of
//! contents shows that.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::escape::ContentEscape;
use plait_core::error::Fault;
use plait_core::expression::evaluation::Evaluator;
use plait_core::expression::template::Template;

/// The variable of a template.
const HISTORY: &str = "history";

/// A template for a history, compiled once. One that does not compile, or that reads anything but the history, keeps its
/// problem. Cheap to clone.
#[derive(Clone, Debug)]
pub struct HistoryTemplate(Arc<Compiled>);

#[derive(Debug)]
struct Compiled {
    template: Template,
    escape: Result<ContentEscape, String>,
}

impl HistoryTemplate {
    /// Compiles `source`.
    pub fn new(source: impl Into<String>) -> Self {
        let template = Template::new(source);
        let escape = inspect(&template);
        Self(Arc::new(Compiled { template, escape }))
    }

    pub fn source(&self) -> &str {
        self.0.template.source()
    }

    /// The problem with it, if there is one.
    pub fn problem(&self) -> Option<&str> {
        self.0.escape.as_ref().err().map(String::as_str)
    }

    /// Writes these turns: for each its role, what the flow puts before it, and its content.
    pub(super) async fn render(
        &self,
        turns: impl Iterator<Item = (&'static str, &str, Cow<'_, str>)>,
        evaluator: &dyn Evaluator,
    ) -> Result<String, Fault> {
        let escape = self.0.escape.as_ref().copied().unwrap_or_default();
        let history: Vec<Value> = turns
            .map(|(role, prefix, content)| item(role, &format!("{prefix}{}", escape.apply(&content))))
            .collect();
        self.0.template.render(values(history), evaluator).await
    }
}

impl PartialEq for HistoryTemplate {
    fn eq(&self, other: &Self) -> bool {
        self.source() == other.source()
    }
}

impl Serialize for HistoryTemplate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.source())
    }
}

impl<'de> Deserialize<'de> for HistoryTemplate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::new)
    }
}

impl JsonSchema for HistoryTemplate {
    fn schema_name() -> Cow<'static, str> {
        "HistoryTemplate".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Template::json_schema(generator)
    }
}

fn item(role: &str, content: &str) -> Value {
    json!({ "role": role, "content": content })
}

fn values(history: Vec<Value>) -> Map<String, Value> {
    [(HISTORY.to_owned(), Value::Array(history))].into_iter().collect()
}

/// The escapes for contents, or the problem with the template.
fn inspect(template: &Template) -> Result<ContentEscape, String> {
    if let Some(problem) = template.problem() {
        return Err(format!("{problem}"));
    }
    if let Some(variable) = template.variables().iter().find(|variable| variable.name != HISTORY) {
        return Err(format!(
            "The template reads `{}`; it may read `history` only: `{{{{#each history}}}}{{{{this.role}}}}: {{{{this.content}}}}{{{{/each}}}}`.",
            variable.name
        ));
    }
    let marked = |marks: [&str; 3]| {
        let [first, second, third] = marks.map(str::to_owned);
        values(vec![item("user", &first), item("assistant", &second), item("user", &third)])
    };
    let text = template.render_small(marked(ContentEscape::MARKS)).map_err(|fault| fault.message)?;
    ContentEscape::for_rendered(&text)
}

#[cfg(test)]
mod tests;
