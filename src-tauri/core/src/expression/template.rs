//! Templates: text in Handlebars or, where a node says so, in Jinja. Its variables become a node's inputs.
//!
//! Owns the dialect of Handlebars: what is allowed, which helpers exist, how values are written. [`guard`] refuses parts that could
//! run away or end the process: partials, decorators, and anything beyond the limits on size, nesting, steps and
//! output. A template reads only the values it gets.

mod cost;
mod guard;
mod helpers;
mod jinja;
mod limits;
mod pieces;
mod plain;
mod render;
mod variables;

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::evaluation::{Evaluation, Evaluator, wrong_result};
use crate::codes;
use crate::error::{ErrorCode, Fault};

use plain::PlainTemplate;

pub use super::syntax::Syntax;
pub use guard::{MAX_NESTING_DEPTH, MAX_SOURCE_BYTES};
pub use limits::{MAX_ITERATIONS, MAX_OUTPUT_BYTES};
pub use pieces::{Piece, PieceSource, Rendered};
pub use variables::Variable;

/// An error in a template, with its position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Line {line}, column {column} of the template: {message}")]
pub struct Problem {
    /// Stable code, `template.…`.
    pub code: ErrorCode,
    /// The message, a sentence.
    pub message: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
}

/// A template, compiled once. One that does not compile keeps its [`Problem`], so that `check` can report it at its place
/// in the flow.
#[derive(Debug)]
pub struct Template {
    source: String,
    syntax: Syntax,
    compiled: Result<Compiled, Problem>,
}

#[derive(Debug)]
struct Compiled {
    form: Form,
    variables: Vec<Variable>,
}

/// What a template is rendered from.
#[derive(Debug)]
enum Form {
    Plain(PlainTemplate),
    Handlebars(Box<handlebars::Template>),
    /// It is compiled when it is rendered.
    Jinja,
}

impl Template {
    /// Compiles `source`.
    pub fn new(source: impl Into<String>) -> Self {
        Self::with_syntax(source, Syntax::Handlebars)
    }

    /// Compiles `source`, which is in this language.
    pub fn with_syntax(source: impl Into<String>, syntax: Syntax) -> Self {
        let source = source.into();
        let compiled = match syntax {
            Syntax::Handlebars => compile(&source),
            Syntax::Jinja => {
                jinja::variables(&source).map(|variables| Compiled { form: Form::Jinja, variables })
            }
        };
        Self { source, syntax, compiled }
    }

    /// Its source text.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Why it did not compile, if so.
    pub fn problem(&self) -> Option<&Problem> {
        self.compiled.as_ref().err()
    }

    /// Its variables in order of first use. Empty if it did not compile.
    pub fn variables(&self) -> &[Variable] {
        self.compiled.as_ref().map_or(&[], |compiled| &compiled.variables)
    }

    /// Renders it with these values. Fault codes are `template.*` and `expression.*`; messages include line and column.
    pub async fn render(
        &self,
        values: Map<String, Value>,
        evaluator: &dyn Evaluator,
    ) -> Result<String, Fault> {
        if self.is_small(&values) {
            return self.evaluate(values);
        }
        let source = self.source.as_str().into();
        let evaluation = Evaluation::Template { source, values, syntax: self.syntax };
        match evaluator.evaluate(evaluation).await? {
            Value::String(text) => Ok(text),
            _ => Err(wrong_result()),
        }
    }

    /// Renders it with a few small values in this thread, to see how it writes them. The fault `template.too_many_steps` if that
    /// could take long.
    pub fn render_small(&self, values: Map<String, Value>) -> Result<String, Fault> {
        if !self.is_small(&values) {
            let message = "The template takes too many steps.";
            return Err(Fault::new(codes::TEMPLATE_TOO_MANY_STEPS, message));
        }
        self.evaluate(values)
    }

    /// Renders it as [`Self::render_small`] does, and says where each piece of the text comes from.
    pub fn render_pieces(&self, values: Map<String, Value>) -> Result<Rendered, Fault> {
        pieces::record(|| self.render_small(values))
    }

    /// Whether a static bound proves that rendering takes few steps. Jinja computes, so nothing proves it there.
    fn is_small(&self, values: &Map<String, Value>) -> bool {
        self.syntax == Syntax::Handlebars && cost::of(&self.source, values) <= cost::MAX_IN_PLACE
    }

    /// The same as [`Self::render`], in this thread.
    pub(super) fn evaluate(&self, mut values: Map<String, Value>) -> Result<String, Fault> {
        let compiled = self.compiled.as_ref().map_err(|problem| fault(problem, self.syntax))?;
        let variables = &compiled.variables;
        let rendered = match &compiled.form {
            Form::Plain(plain) => match plain.render(&self.source, variables, &values) {
                Some(text) => Ok(text),
                // The engine says what is wrong, and where.
                None => parse(&self.source)
                    .and_then(|(template, _)| render::render(&template, Value::Object(values))),
            },
            Form::Handlebars(template) => {
                for variable in variables.iter().filter(|variable| variable.optional) {
                    values.entry(variable.name.as_str()).or_insert(Value::Null);
                }
                render::render(template, Value::Object(values))
            }
            Form::Jinja => jinja::render(&self.source, values),
        };
        rendered.map_err(|problem| fault(&problem, self.syntax))
    }
}

impl Default for Template {
    fn default() -> Self {
        Self::new("")
    }
}

impl From<&str> for Template {
    fn from(source: &str) -> Self {
        Self::new(source)
    }
}

impl<'de> Deserialize<'de> for Template {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::new)
    }
}

impl JsonSchema for Template {
    fn schema_name() -> Cow<'static, str> {
        "Template".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "template" })
    }
}

fn compile(source: &str) -> Result<Compiled, Problem> {
    if let Some((plain, variables)) = PlainTemplate::read(source) {
        return Ok(Compiled { form: Form::Plain(plain), variables });
    }
    let (template, variables) = parse(source)?;
    Ok(Compiled { form: Form::Handlebars(Box::new(template)), variables })
}

/// Parses a template with the engine.
fn parse(source: &str) -> Result<(handlebars::Template, Vec<Variable>), Problem> {
    guard::guard(source)?;
    let mut template = render::parse(source)?;
    let variables = variables::discover(&mut template)?;
    Ok((template, variables))
}

fn fault(problem: &Problem, syntax: Syntax) -> Fault {
    let hint = if problem.code == codes::TEMPLATE_MISSING_VALUE {
        "Connect that input, or use `{{default name \"…\"}}` or `{{#if name}}…{{/if}}` where it can be missing."
    } else if problem.code == codes::TEMPLATE_NOT_A_LIST {
        "Connect a list or an object. To insert the value as it is, write `{{name}}` without `{{#each}}`; a `json` node splits a \
         text: `split(\"\\n\")`."
    } else if [codes::TEMPLATE_TOO_LARGE, codes::TEMPLATE_TOO_MANY_STEPS].contains(&problem.code) {
        "Shorten the list or the text of its inputs; a `json` node can select what is needed."
    } else if syntax == Syntax::Jinja {
        "This template is Jinja: `{{ name }}`, `{% for item in items %}…{% endfor %}`, `{% if name %}…{% endif %}`, `{{ name | upper }}`."
    } else {
        "Templates are Handlebars: `{{name}}`, `{{#each items}}…{{/each}}`, `{{#if name}}…{{/if}}`."
    };
    Fault::new(problem.code.clone(), problem.to_string())
        .hint(hint)
        .details(serde_json::json!({ "line": problem.line, "column": problem.column }))
}

#[cfg(test)]
mod tests;
