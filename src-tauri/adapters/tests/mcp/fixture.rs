//! A data directory with MCP servers in it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use plait_adapters::{KeyStore, McpServers};
use plait_core::error::Fault;
use plait_llm::tool::{ToolHost as _, ToolInvocation, ToolSpec};
use plait_store::Store;
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) struct Fixture {
    pub(crate) servers: McpServers,
    pub(crate) store: Store,
    pub(crate) keys: KeyStore,
    pub(crate) home: TempDir,
}

pub(crate) fn test_servers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/mcp")
}

/// The script of a reference server.
pub(crate) fn reference_server(name: &str) -> String {
    let path = test_servers().join(format!("node_modules/@modelcontextprotocol/server-{name}/dist/index.js"));
    assert!(path.exists(), "`{}` is missing: run `npm ci --ignore-scripts` in tests/mcp", path.display());
    path.to_string_lossy().into_owned()
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let home = TempDir::new().unwrap();
        let store = Store::open(home.path()).unwrap();
        let keys = KeyStore::in_file(home.path(), None);
        let (servers, faults) = McpServers::open(&store, &keys);
        assert_eq!(faults, []);
        Self { servers, store, keys, home }
    }

    /// With the scripted server in this mode, as `s`.
    pub(crate) async fn scripted(mode: &str) -> Self {
        let fixture = Self::new();
        fixture.add_scripted(mode).await;
        fixture
    }

    pub(crate) async fn add_scripted(&self, mode: &str) {
        let script = test_servers().join("scripted-server.mjs");
        self.add("s", json!({ "command": "node", "args": [script, mode, self.state_file()] })).await;
    }

    /// What the scripted server keeps.
    pub(crate) fn state_file(&self) -> PathBuf {
        self.home.path().join("state")
    }

    pub(crate) async fn add(&self, name: &str, entry: Value) {
        let document = json!({ "mcpServers": { name: entry } });
        self.servers.add(&document.to_string(), None, true).await.unwrap();
    }

    pub(crate) async fn tools(&self, server: &str) -> Vec<ToolSpec> {
        self.servers.list_server(server).await.unwrap()
    }

    pub(crate) async fn tool(&self, server: &str, name: &str) -> ToolSpec {
        let tools = self.tools(server).await;
        tools.into_iter().find(|tool| tool.name == name).expect("the tool")
    }

    pub(crate) async fn call(&self, server: &str, tool: &str, arguments: Value) -> Result<Value, Fault> {
        let tool = self.tool(server, tool).await;
        self.servers.call(ToolInvocation::new(tool, arguments)).await
    }

    /// Lets the scripted server do something.
    pub(crate) async fn act(&self, what: &str) -> Result<Value, Fault> {
        self.call("s", "act", json!({ "do": what })).await
    }

    /// The same, with other options.
    pub(crate) async fn invoke(
        &self,
        what: &str,
        configure: impl FnOnce(&mut ToolInvocation),
    ) -> Result<Value, Fault> {
        let mut call = ToolInvocation::new(self.tool("s", "act").await, json!({ "do": what }));
        configure(&mut call);
        self.servers.call(call).await
    }

    pub(crate) async fn log(&self, server: &str) -> Vec<String> {
        self.servers.log(server).await.unwrap().into_iter().map(|line| line.text).collect()
    }
}

/// Sets how long a call may take.
pub(crate) fn with_timeout(call: &mut ToolInvocation, ms: u64) {
    let mut tool = (*call.tool).clone();
    tool.policy.timeout_ms = Some(ms);
    call.tool = Arc::new(tool);
}
