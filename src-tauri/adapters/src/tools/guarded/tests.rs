use plait_engine::error::ErrorCode;
use serde_json::json;

use super::*;

const KEY: &str = "sk-0123456789abcdef";

/// Says the key, or fails with it.
struct Tattler;

#[async_trait]
impl ToolHost for Tattler {
    fn list(&self) -> Vec<ToolSpec> {
        Vec::new()
    }

    async fn call(&self, call: ToolInvocation) -> Result<Value, Fault> {
        match call.name.as_str() {
            "tell" => Ok(json!({ "lines": [format!("KEY={KEY}")] })),
            _ => Err(Fault::new(ErrorCode::from_wire("tool.failed"), format!("no such file: {KEY}"))),
        }
    }
}

fn call(tools: &GuardedTools, name: &str) -> Result<Value, Fault> {
    let call = ToolInvocation { name: name.to_owned(), arguments: json!({}), folder: None };
    futures::executor::block_on(tools.call(call))
}

#[test]
fn a_key_that_a_tool_comes_upon_is_not_passed_on() {
    let keys = KeyStore::in_memory();
    let tools = GuardedTools::new(Arc::new(Tattler), &keys);
    keys.give("openai", KEY).expect("given");
    assert_eq!(call(&tools, "tell").expect("told"), json!({ "lines": ["KEY=[key of openai]"] }));
    assert_eq!(call(&tools, "fail").expect_err("failed").message, "no such file: [key of openai]");
}
