use serde_json::json;

use plait_engine::error::ErrorCode;

use super::*;
use crate::keys::KeyOwner;

const KEY: &str = "sk-0123456789abcdef";

/// Returns the key, or fails with it in the message.
struct LeakyTools;

#[async_trait]
impl ToolHost for LeakyTools {
    fn list(&self) -> Vec<ToolSpec> {
        Vec::new()
    }

    async fn call(&self, call: ToolInvocation) -> Result<Value, Fault> {
        match call.tool.name.as_str() {
            "read" => Ok(json!({ "lines": [format!("KEY={KEY}")] })),
            _ => Err(Fault::new(ErrorCode::from_wire("tool.failed"), format!("no such file: {KEY}"))),
        }
    }
}

fn call(tools: &RedactingTools, name: &str) -> Result<Value, Fault> {
    let call = ToolInvocation::new(ToolSpec::new(name, "", json!({}), "native"), json!({}));
    futures::executor::block_on(tools.call(call))
}

#[test]
fn redacting_tools_remove_keys_from_results_and_faults() {
    let keys = KeyStore::in_memory();
    let tools = RedactingTools::new(Arc::new(LeakyTools), &keys);
    keys.set_session_key(&KeyOwner::new("openai", None), KEY).expect("set");
    assert_eq!(call(&tools, "read").expect("result"), json!({ "lines": ["KEY=[key of openai]"] }));
    assert_eq!(call(&tools, "fail").expect_err("failed").message, "no such file: [key of openai]");
}
