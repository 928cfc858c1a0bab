//! `newContext`: a conversation apart, with a history of its own.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::context::{ContextHandle, ContextRecord, ContextType};
use crate::error::Fault;
use crate::node::{Behavior, Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType};
use crate::port::{PortKind, PortType, Ports};
use crate::prompt::who_answers;

pub(super) struct NewContext;

/// How the new conversation differs from the one it is made from.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// Who answers. Left out: as in the context it is made from, else the offline simulator.
    #[schemars(extend("format" = "provider"))]
    provider: Option<String>,
    /// The provider's name for the model. Left out: as in the context it is made from.
    #[schemars(extend("format" = "model"))]
    model: Option<String>,
    /// How the model is to behave. Left out: as in the context it is made from; empty: no instructions.
    #[schemars(extend("format" = "multiline"))]
    system_instructions: Option<String>,
    /// Whether it starts with a copy of the other's history. Off, it starts empty.
    copy_history: bool,
}

impl NodeType for NewContext {
    type Config = Config;

    const TYPE: &'static str = "newContext";
    const TITLE: &'static str = "New context";
    const SUMMARY: &'static str = "Opens a conversation apart, with a history of its own";
    const DESCRIPTION: &'static str = "Makes an **isolated** conversation. What is said in it stays in it; the one it is \
        made from is left as it was.\n\nWithout settings it takes the provider, model and instructions of the context on \
        its input. The new conversation goes on as a context edge, and as the value `{contextId}` on `handle`, with \
        which *Inject messages* can address it.\n\nInside a cycle every time round makes a fresh one.";
    const CATEGORY: Category = Category::Contexts;
    const ICON: &'static str = "message-square-plus";
    const TERMS: &'static [&'static str] =
        &["isolated", "fork", "branch", "separate", "subconversation", "child"];

    fn ports(_: &Config) -> Ports {
        Ports::new()
            .when_fed("context", PortKind::Context, PortType::Any, "The conversation to start from")
            .output("context", PortKind::Context, PortType::Any, "The new conversation")
            .output("handle", PortKind::Data, PortType::Object, "The new conversation's id, as a value")
            .error()
    }

    fn card() -> Card {
        Card::new().line([CardPart::literal("isolated"), CardPart::text("provider"), CardPart::text("model")])
    }

    fn behavior(config: &Config) -> Behavior {
        Behavior { makes_context: true, uses_context: config.copy_history, ..Behavior::default() }
    }

    fn examples() -> Vec<Example> {
        vec![
            Example::new("A critic who does not see the main conversation")
                .config(json!({ "systemInstructions": "You are a strict critic." }))
                .input("context", json!({ "contextId": "main" }))
                .outputs(json!({
                    "context": { "contextId": "newContext" },
                    "handle": { "contextId": "newContext" },
                })),
            Example::new("On its own, with no context to start from").outputs(json!({
                "context": { "contextId": "newContext" },
                "handle": { "contextId": "newContext" },
            })),
        ]
    }

    async fn execute(config: &Config, inputs: Inputs, cx: NodeContext) -> Result<NodeOutput, Fault> {
        let base = match inputs.context()? {
            Some(handle) => Some(cx.context_manager(&handle.context_id)?.get()),
            None => None,
        };
        let base = base.as_deref();
        let (provider, model) = who_answers(
            base.map(|base| (base.provider.as_str(), base.model.as_str())),
            config.provider.as_deref(),
            config.model.as_deref(),
        )?;
        let id = cx.activation.to_string().into();
        let mut record = ContextRecord::new(id, ContextType::Isolated, &provider, &model);
        record.system_instructions = match &config.system_instructions {
            Some(text) => super::nonempty(text),
            None => base.and_then(|base| base.system_instructions.clone()),
        };
        record.parent_context_id = base.map(|base| base.context_id.clone());
        if let Some(base) = base.filter(|_| config.copy_history) {
            record = record.with_history(base.message_history.clone());
        }
        let handle = ContextHandle::bare(record.context_id.clone());
        cx.create_context(record)?;
        Ok(NodeOutput::new().hand_on(&handle).with("handle", Value::from(&handle)))
    }
}
