//! `note`: a comment on the canvas.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use plait_core::error::Fault;
use plait_core::port::Ports;
use plait_run::node::{Behavior, Category, EditorTraits, Example, Inputs, NodeContext, NodeOutput, NodeType};

pub(super) struct Note;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// The comment, in Markdown.
    #[schemars(extend("format" = "markdown"))]
    text: String,
}

impl NodeType for Note {
    type Config = Config;

    const TYPE: &'static str = "note";
    const TITLE: &'static str = "Note";
    const SUMMARY: &'static str = "A comment on the canvas";
    const DESCRIPTION: &'static str = "Markdown for readers of the flow. Has no effect on a run.";
    const CATEGORY: Category = Category::Wiring;
    const ICON: &'static str = "sticky-note";
    const TERMS: &'static [&'static str] = &["comment", "documentation", "markdown", "label", "sticky"];

    fn ports(_: &Config) -> Ports {
        Ports::new()
    }

    fn editor() -> EditorTraits {
        EditorTraits { comment_field: Some("text".to_owned()), ..EditorTraits::default() }
    }

    fn behavior(_: &Config) -> Behavior {
        Behavior { inert: true, ..Behavior::default() }
    }

    fn examples() -> Vec<Example> {
        vec![Example::new("A comment").config(json!({ "text": "**Ask first**, then draft." }))]
    }

    /// Never called: notes do not run.
    async fn execute(_: &Config, _: Inputs, _: NodeContext) -> Result<NodeOutput, Fault> {
        Ok(NodeOutput::new())
    }
}
