//! How a request asks for a reply that follows a JSON Schema.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// How a request asks its provider for a reply that follows a JSON Schema. Vendors accept different parts of JSON Schema; in
/// any form, the engine validates the reply against the whole schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum SchemaForm {
    /// As a format that the provider enforces.
    Enforced,
    /// The same with a narrower schema, or with keywords that the provider ignores.
    Narrowed,
    /// As a format that the provider does not promise to follow.
    Hint,
    /// As the arguments of a tool.
    Tool,
    /// In the instructions.
    Words,
}

impl SchemaForm {
    /// What it means, as the end of a sentence about the schema of the reply; nothing where all of it is enforced.
    pub fn explanation(self) -> Option<&'static str> {
        match self {
            Self::Enforced => None,
            Self::Narrowed => Some("narrowed to what the provider accepts"),
            Self::Hint => Some("sent as a format that the provider does not enforce"),
            Self::Tool => Some("sent as the arguments of a tool"),
            Self::Words => Some("sent in words, with the instructions"),
        }
    }
}
