//! The tools whose files can be imported.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A tool whose files can be imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    Dify,
    Flowise,
    Langflow,
    N8n,
    PromptFlow,
    Rivet,
}

impl Format {
    pub const ALL: [Self; 6] =
        [Self::Dify, Self::Flowise, Self::Langflow, Self::N8n, Self::PromptFlow, Self::Rivet];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dify => "dify",
            Self::N8n => "n8n",
            Self::PromptFlow => "promptflow",
            Self::Rivet => "rivet",
            Self::Langflow => "langflow",
            Self::Flowise => "flowise",
        }
    }

    /// The name of the tool.
    pub fn title(self) -> &'static str {
        match self {
            Self::Dify => "Dify",
            Self::N8n => "n8n",
            Self::PromptFlow => "Prompt Flow",
            Self::Rivet => "Rivet",
            Self::Langflow => "Langflow",
            Self::Flowise => "Flowise",
        }
    }
}
