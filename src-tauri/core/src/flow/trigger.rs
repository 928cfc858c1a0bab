//! The mark of a node that is one of several ways into its flow.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Which way into its flow a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum Trigger {
    /// A run that names no trigger begins here.
    Default,
    /// A run begins here only if it names this trigger.
    Other,
}
