//! Tools for tests. Records the calls.

use std::collections::BTreeMap;

use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::error::{ErrorCode, Fault};
use crate::tool::{ToolHost, ToolInvocation, ToolSpec};

type Function = fn(&Value) -> Result<Value, Fault>;

/// Two tools: `calculator`, whose result is always 42, and `broken`, which always fails.
pub struct FakeTools {
    tools: BTreeMap<&'static str, Function>,
    calls: Mutex<Vec<ToolInvocation>>,
}

impl Default for FakeTools {
    fn default() -> Self {
        let broken: Function = |_| Err(Fault::new(ErrorCode::from_wire("tool.failed"), "It is broken."));
        let tools = BTreeMap::from([("calculator", (|_| Ok(json!(42))) as Function), ("broken", broken)]);
        Self { tools, calls: Mutex::default() }
    }
}

impl FakeTools {
    /// The calls so far.
    pub fn calls(&self) -> Vec<ToolInvocation> {
        self.calls.lock().clone()
    }
}

#[async_trait]
impl ToolHost for FakeTools {
    fn list(&self) -> Vec<ToolSpec> {
        let names = self.tools.keys();
        names
            .map(|name| ToolSpec::new(*name, format!("The {name}."), json!({ "type": "object" }), "native"))
            .collect()
    }

    async fn call(&self, call: ToolInvocation) -> Result<Value, Fault> {
        let Some(tool) = self.tools.get(call.tool.name.as_str()) else {
            return Err(Fault::new(
                ErrorCode::ToolUnknown,
                format!("There is no tool `{}`.", call.tool.name),
            ));
        };
        let result = tool(&call.arguments);
        self.calls.lock().push(call);
        result
    }
}
