//! What a role is. Each includes those before it.

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a token may be used for.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Role {
    /// Looks at flows, runs and conversations.
    Viewer,
    /// Also runs published flows, answers and cancels runs.
    Runner,
    /// Also changes, runs, debugs and publishes flows.
    Editor,
    /// Also gives grants, and changes settings, keys, users and servers.
    Admin,
}

impl Role {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Runner => "runner",
            Self::Editor => "editor",
            Self::Admin => "admin",
        }
    }
}
