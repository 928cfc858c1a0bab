//! `text`: renders a template.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use plait_core::error::Fault;
use plait_core::expression::template::{Syntax, Template};
use plait_core::port::{PortKind, PortType, Ports};
use plait_run::node::{
    Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType, template_inputs,
};

pub(super) struct Text;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(from = "Written")]
pub(super) struct Config {
    template: Template,
}

/// The settings as they stand in the flow.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct Written {
    /// The template. Each `{{variable}}` in it becomes an input.
    template: Template,
    /// The language of the template.
    syntax: Syntax,
}

impl From<Written> for Config {
    fn from(written: Written) -> Self {
        let template = match written.syntax {
            Syntax::Handlebars => written.template,
            Syntax::Jinja => Template::with_syntax(written.template.source(), Syntax::Jinja),
        };
        Self { template }
    }
}

impl NodeType for Text {
    type Config = Config;

    const TYPE: &'static str = "text";
    const TITLE: &'static str = "Text";
    const SUMMARY: &'static str = "Renders a template whose variables are inputs";
    const DESCRIPTION: &'static str = "A Handlebars template. `{{name}}` inserts a value (text as it is, anything else \
        as JSON) and adds an input with that name.\n\n\
        - `{{user.name}}` inserts a field of an object; the input is `user`\n\
        - `{{#each items}}- {{this}}{{/each}}` repeats for each item of a list; `{{@index}}` is its index\n\
        - `{{#if name}}…{{else}}…{{/if}}`, `{{default name \"friend\"}}`: `name` is then optional\n\
        - `{{json value}}`, `{{join list \", \"}}`, `{{trim text}}`, `{{upper text}}`, `{{lower text}}`, `{{len list}}`\n\
        - `{{#if (eq status \"open\")}}`, and `ne`, `gt`, `gte`, `lt`, `lte`, `and`, `or`, `not`\n\
        - `{{#each hitl_history}}{{this.question}} {{this.answer}}{{/each}}`: in a loop, what people answered; no input\n\
        - `\\{{` writes literal braces\n\n\
        With **syntax** `jinja`, it is a template in Jinja: `{% for item in items %}…{% endfor %}`, `{{ name | upper }}`. A value that \
        a template does not find is empty there, and values are written as Python writes them.";
    const CATEGORY: Category = Category::Data;
    const ICON: &'static str = "type";
    const TERMS: &'static [&'static str] =
        &["template", "handlebars", "format", "string", "prompt", "compose"];

    fn ports(config: &Config) -> Ports {
        template_inputs::add_inputs(Ports::new(), &config.template)
            .output("text", PortKind::Data, PortType::Text, "The text")
            .error()
    }

    fn card() -> Card {
        Card::new().line([CardPart::text("template")])
    }

    fn check(config: &Config) -> Vec<(String, String)> {
        template_inputs::check(&config.template, "/template", &Self::ports(config))
    }

    fn examples() -> Vec<Example> {
        vec![
            Example::new("Two values in a sentence")
                .config(json!({ "template": "{{user.name}} wants {{count}} tickets." }))
                .input("user", json!({ "name": "Ada" }))
                .input("count", json!(2))
                .outputs(json!({ "text": "Ada wants 2 tickets." })),
            Example::new("A list and an optional value")
                .config(json!({ "template": "{{#each items}}- {{this}}\n{{/each}}for {{default name \"everybody\"}}" }))
                .input("items", json!(["tea", "milk"]))
                .outputs(json!({ "text": "- tea\n- milk\nfor everybody" })),
            Example::new("A list in Jinja")
                .config(json!({ "template": "{% for item in items %}{{ loop.index }}. {{ item | upper }} {% endfor %}", "syntax": "jinja" }))
                .input("items", json!(["tea", "milk"]))
                .outputs(json!({ "text": "1. TEA 2. MILK " })),
        ]
    }

    async fn execute(
        config: &Config,
        inputs: Inputs,
        node_context: NodeContext,
    ) -> Result<NodeOutput, Fault> {
        let values = template_inputs::values(&config.template, &inputs, &node_context);
        let text = config.template.render(values, &*node_context.host.evaluator).await?;
        Ok(NodeOutput::of("text", text))
    }
}
