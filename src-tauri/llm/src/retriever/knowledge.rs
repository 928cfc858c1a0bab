//! The `knowledge` setting of nodes: where they search, and how much of what they find they use.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::KnowledgeRef;
use plait_core::config::Unused;

/// The default of `maxTokens`.
const DEFAULT_MAX_TOKENS: u64 = 2000;

/// Where a node searches, and how much of what it finds it uses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Knowledge {
    /// The names of knowledge bases.
    #[schemars(extend("items" = { "type": "string", "format": "knowledgeBase" }))]
    pub bases: Vec<String>,
    /// A folder with documents, relative to the flow's file, for example `docs`.
    pub folder: String,
    /// Maximum tokens of the passages in a prompt. If empty, 2,000.
    pub max_tokens: Option<NonZeroU32>,
}

impl Knowledge {
    /// Whether there is anything to search.
    pub fn is_empty(&self) -> bool {
        self.bases.is_empty() && self.folder.trim().is_empty()
    }

    /// The settings that have no effect beside the others. `place` is where it stands in the config.
    pub fn unused(&self, place: &str) -> Option<Unused> {
        let reason = "no knowledge base and no folder is named";
        let remedy = "name one in `bases` or `folder`";
        self.is_empty().then(|| Unused::new(format!("{place}/maxTokens"), reason, remedy))
    }

    /// Where to search, each once.
    pub fn refs(&self) -> Vec<KnowledgeRef> {
        let folder = Some(self.folder.trim()).filter(|folder| !folder.is_empty());
        let bases = self.bases.iter().map(|name| KnowledgeRef::Base(name.trim().to_owned()));
        let mut refs: Vec<_> =
            bases.chain(folder.map(|folder| KnowledgeRef::Folder(folder.to_owned()))).collect();
        let mut seen = std::collections::BTreeSet::new();
        refs.retain(|one| seen.insert(one.clone()));
        refs
    }

    /// The most tokens of the passages.
    pub fn max_tokens(&self) -> u64 {
        self.max_tokens.map_or(DEFAULT_MAX_TOKENS, |tokens| tokens.get().into())
    }
}

/// The query for a message: the message, and the last line of the summary of what preceded it.
pub fn query_text(message: &str, summary: Option<&str>) -> String {
    let last_line = summary.and_then(|text| text.lines().map(str::trim).rfind(|line| !line.is_empty()));
    match last_line {
        Some(line) => format!("{}\n{line}", message.trim()),
        None => message.trim().to_owned(),
    }
}
