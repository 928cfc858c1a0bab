//! Templates in Jinja, as nodes.

use serde_json::json;

use super::builder::{FlowBuilder, Output};
use super::point::Point;
use plait_core::expression::template::{Syntax, Template, Variable};

/// A template that can be read. The error says why it can't.
fn read(text: &str) -> Result<Template, String> {
    let template = Template::with_syntax(text, Syntax::Jinja);
    match template.problem() {
        Some(problem) => Err(format!("Its template can't be read. {problem}")),
        None => Ok(template),
    }
}

/// The variables of a template, by name. The error says why it can't be read.
pub(super) fn variables(text: &str) -> Result<Vec<String>, String> {
    Ok(read(text)?.variables().iter().map(|variable| variable.name.clone()).collect())
}

/// Adds a text in Jinja. A variable without a value is empty, unless the template says what stands in its place.
pub(super) fn add_jinja(
    builder: &mut FlowBuilder,
    (source, title, at): (&str, &str, Point),
    text: &str,
    value: impl Fn(&str) -> Option<Output>,
) -> Result<Output, String> {
    let template = read(text)?;
    let config = json!({ "template": text, "syntax": "jinja" });
    let id = builder.add(source, title, "text", config, at);
    for Variable { name, optional } in template.variables() {
        let value = value(name).or_else(|| {
            (!optional).then(|| {
                let place = at.beside(-0.5, 1.0);
                let empty = builder.add(source, name, "value", json!({ "value": "" }), place);
                Output::new(&empty, "value")
            })
        });
        if let Some(value) = value {
            builder.connect(&value, &id, name);
        }
    }
    Ok(Output::new(&id, "text"))
}
