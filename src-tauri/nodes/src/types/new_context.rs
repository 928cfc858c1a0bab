//! `newContext`: creates an isolated conversation with a history of its own.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use plait_core::config::Unused;
use plait_core::error::Fault;
use plait_core::port::{PortKind, PortType, Ports};
use plait_llm::context::{ContextHandle, ContextRecord, ContextType, resolve_provider_and_model};
use plait_run::node::{
    Behavior, Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType, Surroundings,
};

pub(super) struct NewContext;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// The provider. If empty, the one of the source context, or the offline simulator without one.
    #[schemars(extend("format" = "provider"))]
    provider: Option<String>,
    /// The provider's name for the model. If empty, the one of the source context.
    #[schemars(extend("format" = "model"))]
    model: Option<String>,
    /// System instructions. If not set, those of the source context; if empty, none.
    #[schemars(extend("format" = "multiline"))]
    system_instructions: Option<String>,
    /// Whether to copy the history of the source context. If off, the history starts empty.
    copy_history: bool,
}

impl NodeType for NewContext {
    type Config = Config;

    const TYPE: &'static str = "newContext";
    const TITLE: &'static str = "New context";
    const SUMMARY: &'static str = "Creates an isolated conversation with its own history";
    const DESCRIPTION: &'static str = "Creates an **isolated** conversation. Its messages stay in it, and the source \
        conversation is not changed.

Without settings it uses the provider, model and instructions of the context on \
        its input. The new conversation is the `context` output, and `handle` is the value `{contextId}`, by which \
        *Inject messages* can address it.

Inside a cycle, each iteration creates a new one.";
    const CATEGORY: Category = Category::Contexts;
    const ICON: &'static str = "message-square-plus";
    const TERMS: &'static [&'static str] =
        &["isolated", "fork", "branch", "separate", "subconversation", "child"];

    fn ports(_: &Config) -> Ports {
        Ports::new()
            .when_fed("context", PortKind::Context, PortType::Any, "The source conversation")
            .output("context", PortKind::Context, PortType::Any, "The new conversation")
            .output("handle", PortKind::Data, PortType::Object, "The id of the new conversation, as a value")
            .error()
    }

    fn card() -> Card {
        Card::new().line([CardPart::literal("isolated"), CardPart::text("provider"), CardPart::text("model")])
    }

    fn behavior(config: &Config) -> Behavior {
        Behavior {
            makes_context: true,
            uses_context: config.copy_history,
            takes_prompt_only: super::prompt_only(config.provider.as_deref(), config.model.as_deref()),
            ..Behavior::default()
        }
    }

    fn unused(_: &Config, around: &Surroundings<'_>) -> Vec<Unused> {
        super::unused_without_context(&["/copyHistory"], around)
    }

    fn examples() -> Vec<Example> {
        vec![
            Example::new("A critic that does not see the main conversation")
                .config(json!({ "systemInstructions": "You are a strict critic." }))
                .input("context", json!({ "contextId": "main" }))
                .outputs(json!({
                    "context": { "contextId": "newContext" },
                    "handle": { "contextId": "newContext" },
                })),
            Example::new("Without a source context").outputs(json!({
                "context": { "contextId": "newContext" },
                "handle": { "contextId": "newContext" },
            })),
        ]
    }

    async fn execute(
        config: &Config,
        inputs: Inputs,
        node_context: NodeContext,
    ) -> Result<NodeOutput, Fault> {
        let base = match inputs.context()? {
            Some(handle) => Some(node_context.context_manager(&handle.context_id)?.get()),
            None => None,
        };
        let base = base.as_deref();
        let (provider, model) = resolve_provider_and_model(
            base.map(|base| (&*base.provider, &*base.model)),
            config.provider.as_deref(),
            config.model.as_deref(),
        )?;
        let id = node_context.name_in_scope().into();
        let mut record = ContextRecord::new(id, ContextType::Isolated, &provider, &model);
        record.system_instructions = match &config.system_instructions {
            Some(text) => super::non_blank(text),
            None => base.and_then(|base| base.system_instructions.clone()),
        };
        if config.system_instructions.is_none() {
            record.system_origins = base.map(|base| base.system_origins.clone()).unwrap_or_default();
        }
        record.parent_context_id = base.map(|base| base.context_id.clone());
        if let Some(base) = base.filter(|_| config.copy_history) {
            record = record.with_history(base.message_history.clone());
        }
        let handle = ContextHandle::new(record.context_id.clone());
        node_context.create_context(record)?;
        Ok(NodeOutput::new().with_context(&handle).with("handle", Value::from(&handle)))
    }
}
