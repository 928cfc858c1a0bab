//! The languages that a template can be in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The language of a template.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Syntax {
    /// `{{name}}`, `{{#each list}}…{{/each}}`, `{{#if name}}…{{/if}}`.
    #[default]
    Handlebars,
    /// `{{ name }}`, `{% for item in list %}…{% endfor %}`, `{{ name | upper }}`.
    Jinja,
}
