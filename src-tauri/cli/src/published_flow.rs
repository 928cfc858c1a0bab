//! A flow that a host serves, as commands that work with it read it.

use plait_api::{Connection, ErrorReply};
use plait_core::flow::Flow;
use serde::Deserialize;
use serde_json::json;

/// The version that is served under a name.
#[derive(Deserialize)]
pub(crate) struct PublishedFlow {
    pub(crate) flow: Flow,
    /// Its file on the host, for which grants are kept there.
    #[serde(default)]
    pub(crate) path: Option<String>,
}

impl PublishedFlow {
    /// `published.unknown`, `published.bad_name`.
    pub(crate) async fn read(app: &Connection, name: &str) -> Result<Self, ErrorReply> {
        app.call_host("published.read", &json!({ "name": name })).await
    }
}
