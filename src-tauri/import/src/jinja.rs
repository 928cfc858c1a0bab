//! Templates in Jinja, as nodes.

use serde_json::json;

use super::builder::{FlowBuilder, Output};
use super::point::Point;
use plait_core::expression::template::{Syntax, Template};

/// The variables of a template, by name. The error says why it can't be read.
pub(super) fn variables(text: &str) -> Result<Vec<String>, String> {
    let template = Template::with_syntax(text, Syntax::Jinja);
    if let Some(problem) = template.problem() {
        return Err(format!("Its template can't be read. {problem}"));
    }
    Ok(template.variables().iter().map(|variable| variable.name.clone()).collect())
}

/// Adds a text in Jinja. A variable without a value is empty.
pub(super) fn add_jinja(
    builder: &mut FlowBuilder,
    (source, title, at): (&str, &str, Point),
    text: &str,
    value: impl Fn(&str) -> Option<Output>,
) -> Result<Output, String> {
    let names = variables(text)?;
    let config = json!({ "template": text, "syntax": "jinja" });
    let id = builder.add(source, title, "text", config, at);
    for name in names {
        let value = value(&name).unwrap_or_else(|| {
            let place = at.beside(-0.5, 1.0);
            let empty = builder.add(source, &name, "value", json!({ "value": "" }), place);
            Output::new(&empty, "value")
        });
        builder.connect(&value, &id, &name);
    }
    Ok(Output::new(&id, "text"))
}
