//! `config.*`: values that can be set in more than one place: which holds, and where it comes from.

use plait_core::config;
use plait_core::config::{ConfigScope, Layer, ResolvedConfig};
use plait_core::error::Fault;
use plait_core::flow::Flow;
use plait_core::id::NodeId;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use ts_rs::TS;

use crate::ErrorReply;
use crate::codes;
use crate::command::Command;
use crate::settings::SettingsService;

/// `config.explain`: which value holds, and what each layer says. `settings.unknown_key`; `node.unknown` for a node that the flow does
/// not have.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct ExplainConfig {
    /// The key. Without one, all keys that the scope has to do with.
    #[serde(default)]
    #[ts(optional)]
    pub key: Option<String>,
    /// The flow. Without one, the settings are the narrowest layer.
    #[serde(default)]
    #[ts(optional)]
    pub flow: Option<Flow>,
    /// A node of the flow.
    #[serde(default)]
    #[ts(optional)]
    pub node: Option<NodeId>,
}

impl Command for ExplainConfig {
    const NAME: &'static str = "config.explain";
    type Service = SettingsService;
    type Reply = Vec<ResolvedConfig>;

    async fn run(self, service: &SettingsService) -> Result<Vec<ResolvedConfig>, ErrorReply> {
        let settings = service.current().values();
        let (flow, node) = (self.flow.as_ref(), self.node.as_ref());
        if let (Some(flow), Some(node)) = (flow, node)
            && !flow.nodes.contains_key(node)
        {
            return Err(unknown_node(flow, node));
        }
        let scope = ConfigScope { settings: &settings, flow, node };
        Ok(match &self.key {
            Some(key) => vec![config::resolve(config::find(key).map_err(Fault::from)?, scope)],
            None => config::resolve_all(scope),
        })
    }
}

/// `config.set`: sets a value in the settings, or removes it, and returns which holds then. `settings.unknown_key`,
/// `settings.bad_value`, `settings.wrong_layer`, and the errors of `settings.set`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct SetConfig {
    pub key: String,
    /// The value. Null removes it.
    #[serde(default)]
    #[ts(type = "unknown")]
    pub value: Value,
}

impl Command for SetConfig {
    const NAME: &'static str = "config.set";
    type Service = SettingsService;
    type Reply = ResolvedConfig;

    async fn run(self, service: &SettingsService) -> Result<ResolvedConfig, ErrorReply> {
        let key = config::find(&self.key).map_err(Fault::from)?;
        key.check_layer(Layer::Settings).map_err(Fault::from)?;
        if !self.value.is_null() {
            key.check(&self.value).map_err(Fault::from)?;
        }
        // An object with the key and nothing else.
        let mut named = json!({});
        key.write_settings(&mut named, Value::Bool(true));
        let change = |settings: &mut Value| key.write_settings(settings, self.value);
        let settings = service.change(named, change).await?.values();
        Ok(config::resolve(key, ConfigScope { settings: &settings, flow: None, node: None }))
    }
}

fn unknown_node(flow: &Flow, node: &NodeId) -> ErrorReply {
    let known = flow.nodes.keys().map(NodeId::as_str);
    let hint = match plait_core::similar_name::similar_name(node.as_str(), known) {
        Some(similar) => format!("Did you mean `{similar}`?"),
        None => "Name a node of the flow.".to_owned(),
    };
    ErrorReply::new(codes::NODE_UNKNOWN, format!("The flow has no node `{node}`.")).hint(hint)
}
