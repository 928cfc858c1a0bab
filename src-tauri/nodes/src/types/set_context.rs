//! `setContext`: changes the instructions or the model of a conversation, or clears its history.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::addressed_context;
use plait_core::error::Fault;
use plait_core::expression::template::Template;
use plait_core::port::{PortKind, PortType, Ports};
use plait_llm::context::resolve_provider_and_model;
use plait_run::node::{
    Behavior, Card, CardPart, Category, Example, Inputs, NodeContext, NodeOutput, NodeType, template_inputs,
};

pub(super) struct SetContext;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct Config {
    /// The id of the conversation to change. If empty, the one on the `contextId` input, or the one on the context edge.
    context_id: Option<String>,
    /// The new system instructions, as a template. Its variables become inputs. If not set, the instructions stay; if empty, there
    /// are none.
    system_instructions: Option<Template>,
    /// The new provider. If empty, it stays.
    #[schemars(extend("format" = "provider"))]
    provider: Option<String>,
    /// The new model, by the provider's name for it. If empty, it stays. Another provider needs a model.
    #[schemars(extend("format" = "model"))]
    model: Option<String>,
    /// Whether the history is cleared. A message that waits for a reply is kept.
    reset_history: bool,
}

impl Config {
    fn sets_model(&self) -> bool {
        self.provider.is_some() || self.model.is_some()
    }
}

const NOTHING_SET: &str =
    "The node changes nothing. Set instructions, a provider or a model, or reset the history.";

impl NodeType for SetContext {
    type Config = Config;

    const TYPE: &'static str = "setContext";
    const TITLE: &'static str = "Set context";
    const SUMMARY: &'static str =
        "Changes the instructions or the model of a conversation, or clears its history";
    const DESCRIPTION: &'static str = "Changes a conversation from here on: its system instructions, its provider and model, \
        or its history, which it clears. Settings that are empty change nothing.

The conversation is the one named in the settings; without \
        one, the one on `contextId` (an id, or the `handle` of *New context*); without that, the one on the context \
        edge. The nodes after this one see the change.

A message that waits for a reply on the context edge is still answered after \
        a reset. Conversations across runs and the workflow's memory keep what was said.";
    const CATEGORY: Category = Category::Contexts;
    const ICON: &'static str = "message-square-diff";
    const TERMS: &'static [&'static str] = &[
        "system prompt",
        "instructions",
        "switch model",
        "provider",
        "reset",
        "clear history",
        "forget",
        "change",
    ];

    fn ports(config: &Config) -> Ports {
        let mut ports = addressed_context::inputs();
        if let Some(instructions) = &config.system_instructions {
            ports = template_inputs::add_inputs(ports, instructions);
        }
        ports
            .output("context", PortKind::Context, PortType::Any, "The changed conversation")
            .output("contextId", PortKind::Data, PortType::Text, "Its id")
            .error()
    }

    fn card() -> Card {
        Card::new()
            .line([
                CardPart::text("provider"),
                CardPart::text("model"),
                CardPart::prefixed_text("of", "contextId"),
            ])
            .line([CardPart::quoted("systemInstructions")])
    }

    fn behavior(config: &Config) -> Behavior {
        let changes = config.system_instructions.is_some() || config.sets_model() || config.reset_history;
        Behavior {
            changes_context: true,
            missing_setting: (!changes).then_some(("", NOTHING_SET)),
            ..addressed_context::behavior(config.context_id.as_deref())
        }
    }

    fn check(config: &Config) -> Vec<(String, String)> {
        let instructions = config.system_instructions.iter();
        let mut problems: Vec<_> = instructions
            .flat_map(|text| template_inputs::check(text, "/systemInstructions", &Self::ports(config)))
            .collect();
        let fields =
            [("/provider", &config.provider), ("/model", &config.model), ("/contextId", &config.context_id)];
        for (pointer, value) in fields {
            if value.as_ref().is_some_and(|value| value.trim().is_empty()) {
                problems.push((pointer.to_owned(), format!("`{}` is empty.", &pointer[1..])));
            }
        }
        problems
    }

    fn examples() -> Vec<Example> {
        vec![
            Example::new("A second phase with other instructions and an empty history")
                .config(json!({ "systemInstructions": "You are a strict editor of {{kind}}.", "resetHistory": true }))
                .input("context", json!({ "contextId": "main", "currentOutput": "A draft." }))
                .input("kind", json!("letters"))
                .outputs(json!({
                    "context": { "contextId": "main", "currentOutput": "A draft." },
                    "contextId": "main",
                })),
            Example::new("Another model for a conversation addressed by its handle")
                .config(json!({ "provider": "offline", "model": "echo" }))
                .input("contextId", json!({ "contextId": "main" }))
                .outputs(json!({ "context": { "contextId": "main" }, "contextId": "main" })),
        ]
    }

    async fn execute(
        config: &Config,
        inputs: Inputs,
        node_context: NodeContext,
    ) -> Result<NodeOutput, Fault> {
        let incoming = inputs.context()?;
        let id = addressed_context::id(config.context_id.as_deref(), &inputs, incoming.as_ref())?;
        let manager = node_context.context_manager(&id)?;
        if let Some(instructions) = &config.system_instructions {
            let values = template_inputs::values(instructions, &inputs, &node_context);
            let text = instructions.render(values, &*node_context.host.evaluator).await?;
            manager
                .set_system_instructions(super::non_blank(&text).unwrap_or_default(), node_context.origins());
        }
        if config.sets_model() {
            let context = manager.get();
            let (provider, model) = resolve_provider_and_model(
                Some((&context.provider, &context.model)),
                config.provider.as_deref(),
                config.model.as_deref(),
            )?;
            // The fault names the providers that there are, at the node that asks for another one.
            node_context.host.providers.get(&provider)?;
            manager.set_provider_model(provider, model);
        }
        if config.reset_history {
            manager.reset_history();
        }
        Ok(addressed_context::output(&addressed_context::handle(incoming, &id)))
    }
}
