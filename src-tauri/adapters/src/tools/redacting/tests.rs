use serde_json::json;

use parking_lot::Mutex;
use plait_core::error::ErrorCode;
use plait_llm::tool::SamplingMessage;

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
            "ask" => {
                let (from, message) = ("leaky".to_owned(), format!("Is it {KEY}?"));
                let schema = json!({ "type": "string", "default": KEY });
                call.requests.ask(ToolQuestion { from, message, schema }).await?;
                let messages = vec![SamplingMessage { from_model: false, text: format!("Use {KEY}.") }];
                let system = Some(format!("The key is {KEY}."));
                let from = "leaky".to_owned();
                let request = SamplingRequest { from, system, messages, max_tokens: 1, temperature: None };
                call.requests.sample(request).await?;
                Ok(Value::Null)
            }
            _ => Err(Fault::new(ErrorCode::from_wire("tool.failed"), format!("no such file: {KEY}"))),
        }
    }
}

fn call(tools: &RedactingTools, name: &str) -> Result<Value, Fault> {
    let call = ToolInvocation::new(ToolSpec::new(name, "", json!({}), "native"), json!({}));
    futures::executor::block_on(tools.call(call))
}

/// Records its requests.
#[derive(Default)]
struct Asked(Mutex<Vec<Value>>);

#[async_trait]
impl ToolRequests for Asked {
    async fn ask(&self, question: ToolQuestion) -> Result<ToolAnswer, Fault> {
        self.0.lock().push(json!(question));
        Ok(ToolAnswer::Declined)
    }

    async fn sample(&self, request: SamplingRequest) -> Result<Option<SamplingReply>, Fault> {
        self.0.lock().push(json!(request));
        Ok(None)
    }
}

#[test]
fn redacting_tools_remove_keys_from_what_tools_ask() {
    let keys = KeyStore::in_memory();
    let tools = RedactingTools::new(Arc::new(LeakyTools), &keys);
    keys.set_session_key(&KeyOwner::new("openai", None), KEY).expect("set");
    let asked = Arc::new(Asked::default());
    let mut call = ToolInvocation::new(ToolSpec::new("ask", "", json!({}), "native"), json!({}));
    call.requests = Arc::clone(&asked) as Arc<dyn ToolRequests>;
    futures::executor::block_on(tools.call(call)).expect("result");
    let asked = asked.0.lock();
    assert_eq!(asked[0]["message"], json!("Is it [key of openai]?"));
    assert_eq!(asked[0]["schema"]["default"], json!("[key of openai]"));
    assert_eq!(asked[1]["system"], json!("The key is [key of openai]."));
    assert_eq!(asked[1]["messages"][0]["text"], json!("Use [key of openai]."));
}

#[test]
fn redacting_tools_remove_keys_from_results_and_faults() {
    let keys = KeyStore::in_memory();
    let tools = RedactingTools::new(Arc::new(LeakyTools), &keys);
    keys.set_session_key(&KeyOwner::new("openai", None), KEY).expect("set");
    assert_eq!(call(&tools, "read").expect("result"), json!({ "lines": ["KEY=[key of openai]"] }));
    assert_eq!(call(&tools, "fail").expect_err("failed").message, "no such file: [key of openai]");
}
