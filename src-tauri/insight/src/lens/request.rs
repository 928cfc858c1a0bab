//! The request of a model call, built again from the journal.

use serde::Deserialize as _;

use super::Lens;
use super::messages::rebuild;
use plait_core::id::{Activation, ReplyKey};
use plait_journal::SourceRef;
use plait_journal::view::EpochView;
use plait_llm::context::{Role, SharedMessage};
use plait_llm::prompt_record::{PromptPart, PromptRecord};
use plait_llm::provider::ModelRequest;
use plait_llm::tool::ToolSpec;

/// A request as it was sent, as far as the journal says.
pub struct RebuiltRequest {
    pub provider: String,
    pub request: ModelRequest,
    /// The key of the request that was sent: if the provider gives this one the same, they are the same. None if there was no
    /// reply, or in journals of early versions.
    pub key: Option<ReplyKey>,
    /// Whether messages or tools are missing in the journal.
    pub is_incomplete: bool,
}

impl Lens {
    /// The request of one of an activation's model calls, from 0.
    pub fn request(&self, activation: &Activation, index: usize) -> Option<RebuiltRequest> {
        let place =
            self.calls.iter().find(|place| place.activation == *activation && place.index == index)?;
        let (epoch, call) = self.model_call(place)?;
        let prompt = call.prompt.as_ref()?;
        let (system, rest) = split_system(prompt);
        let rebuilt = rebuild(&rest, (activation, index), epoch, &self.histories);
        let whole = || rebuilt.iter().filter(|message| !message.is_part);
        let messages: Vec<SharedMessage> = whole().filter_map(|message| message.message.clone()).collect();
        let tools = self.tools(prompt, epoch);
        let is_incomplete = messages.len() != whole().count() || tools.len() != prompt.tools.len();
        let settings = &prompt.settings;
        let request = ModelRequest {
            activation: activation.clone(),
            attempt: 1,
            model: prompt.model.clone(),
            system,
            messages,
            tools,
            temperature: settings.temperature,
            max_tokens: settings.max_tokens,
            window: Some(prompt.window),
            response_schema: settings.response_schema.clone(),
            session: None,
            options: settings.options.clone(),
        };
        let key = self.reply_key(activation, index);
        Some(RebuiltRequest { provider: prompt.provider.clone(), request, key, is_incomplete })
    }

    fn reply_key(&self, activation: &Activation, index: usize) -> Option<ReplyKey> {
        self.keys.get(&(activation.clone(), index)).cloned()
    }

    /// The tools that were offered: the values on the edges to the `tools` input, by name.
    fn tools(&self, prompt: &PromptRecord, epoch: &EpochView) -> Vec<ToolSpec> {
        let sources = epoch.inputs.get("tools").map(Vec::as_slice).unwrap_or_default();
        let offered: Vec<ToolSpec> =
            sources.iter().filter_map(|source| self.bundle(source)).flatten().collect();
        let by_name = |name: &String| offered.iter().find(|tool| tool.name == *name).cloned();
        prompt.tools.iter().filter_map(by_name).collect()
    }

    fn bundle(&self, source: &SourceRef) -> Option<Vec<ToolSpec>> {
        let activation = Activation { node: source.node.clone(), epoch: source.epoch.clone() };
        let value = self.epoch(&activation)?.outputs.get(&source.port)?;
        Vec::<ToolSpec>::deserialize(&**value).ok()
    }
}

/// The system text, which requests have apart from the messages, and the rest of the prompt.
fn split_system(prompt: &PromptRecord) -> (Option<String>, PromptRecord) {
    let mut rest = prompt.clone();
    if let Some(PromptPart::Message { role: Role::System, text, .. }) = prompt.parts.first() {
        rest.parts.remove(0);
        return (Some(text.clone()), rest);
    }
    (None, rest)
}
