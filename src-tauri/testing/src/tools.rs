//! Tools for tests. Records the calls.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::Barrier;

use plait_core::attachment;
use plait_core::error::{ErrorCode, Fault};
use plait_core::origin::Origin;
use plait_llm::http_tool::HTTP_SOURCE;
use plait_llm::tool::{
    SamplingMessage, SamplingRequest, ToolAnswer, ToolEffect, ToolHost, ToolInvocation, ToolQuestion,
    ToolRequests, ToolSpec,
};
use plait_run::codes;

use crate::attachments::PIXEL;

/// How many calls of `meet` end together.
pub const CALLS_THAT_MEET: usize = 3;

/// How often a server that starts slowly is polled in vain.
const POLLS_OF_SLOW_SERVER: usize = 2;

/// Tools with known results:
/// - `broken` always fails, with an error that may pass;
/// - `calculator` returns 42;
/// - `dialog` asks for what its argument `requests` lists, in order: `{"ask": TEXT}` the person, `{"sample": TEXT}` a model, with
///   the text repeated `times` times. It returns the answers;
/// - `meet` returns its arguments once [`CALLS_THAT_MEET`] calls of it are open;
/// - `photo` returns a text and the image `photo.png`;
/// - `read_file` returns a text of the file `notes.md`;
/// - `restless` requests the reply of a model to another text each time it is called;
/// - `survey` asks the person twice, and returns both answers.
///
/// The MCP servers `files` and `slow`, which starts after [`POLLS_OF_SLOW_SERVER`] polls, have the tools `read_file` and `write_file`.
pub struct FakeTools {
    calls: Mutex<Vec<ToolInvocation>>,
    meeting: Barrier,
}

impl Default for FakeTools {
    fn default() -> Self {
        Self { calls: Mutex::default(), meeting: Barrier::new(CALLS_THAT_MEET) }
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
        let tool = |name| ToolSpec::new(name, format!("The {name}."), json!({ "type": "object" }), "native");
        ["broken", "calculator"].map(tool).into()
    }

    async fn list_server(&self, server: &str) -> Result<Vec<ToolSpec>, Fault> {
        if server == "slow" {
            for _ in 0..POLLS_OF_SLOW_SERVER {
                tokio::task::yield_now().await;
            }
        } else if server != "files" {
            return Err(Fault::new(codes::MCP_UNKNOWN_SERVER, format!("There is no MCP server `{server}`.")));
        }
        let tool = |name: &str, effect| ToolSpec {
            effect,
            binding: json!({ "tool": name }),
            ..ToolSpec::new(name, format!("The {name}."), json!({ "type": "object" }), "mcp:files")
        };
        Ok(vec![tool("read_file", ToolEffect::Read), tool("write_file", ToolEffect::Write)])
    }

    async fn call(&self, call: ToolInvocation) -> Result<Value, Fault> {
        // What serves the call would keep its run open.
        let served = ToolInvocation::new((*call.tool).clone(), call.arguments.clone());
        self.calls.lock().push(ToolInvocation {
            folder: call.folder.clone(),
            folders: Arc::clone(&call.folders),
            context: Arc::clone(&call.context),
            site: Arc::clone(&call.site),
            ..served
        });
        if call.tool.name == "read_file" {
            call.origins.add(Origin::File("notes.md".to_owned()));
        }
        if let Some(result) = unlisted(&call.tool) {
            return Ok(result);
        }
        match call.tool.name.as_str() {
            "broken" => Err(Fault::new(ErrorCode::from_wire("tool.failed"), "It is broken.").retryable()),
            "calculator" => Ok(json!(42)),
            "meet" => {
                self.meeting.wait().await;
                Ok(call.arguments)
            }
            "dialog" => {
                let mut answers = Vec::new();
                for request in call.arguments["requests"].as_array().into_iter().flatten() {
                    answers.push(match (request["ask"].as_str(), request["sample"].as_str()) {
                        (Some(text), _) => ask(&*call.requests, "Dialog", text).await?,
                        (_, Some(text)) => {
                            let times = request["times"]
                                .as_u64()
                                .map_or(1, |times| usize::try_from(times).unwrap_or(usize::MAX));
                            sample(&*call.requests, &text.repeat(times)).await?
                        }
                        _ => Value::Null,
                    });
                }
                Ok(answers.into())
            }
            "photo" => {
                let photo = attachment::inspect("photo.png", PIXEL.into())?;
                Ok(json!(["Look:", attachment::to_value(&photo)]))
            }
            // It never asks the same twice.
            "restless" => {
                let text = format!("Try {}", self.calls.lock().len());
                sample(&*call.requests, &text).await
            }
            "survey" => {
                let mut answers = Vec::new();
                for message in ["Name?", "Age?"] {
                    answers.push(ask(&*call.requests, "Survey", message).await?);
                }
                Ok(answers.into())
            }
            name => Err(Fault::new(codes::TOOL_UNKNOWN, format!("There is no tool `{name}`."))),
        }
    }
}

async fn ask(requests: &dyn ToolRequests, from: &str, message: &str) -> Result<Value, Fault> {
    let schema = json!({ "type": "string" });
    let question = ToolQuestion { from: from.into(), message: message.into(), schema };
    Ok(match requests.ask(question).await? {
        ToolAnswer::Accepted(answer) => answer,
        ToolAnswer::Declined => Value::Null,
    })
}

async fn sample(requests: &dyn ToolRequests, text: &str) -> Result<Value, Fault> {
    let request = SamplingRequest {
        from: "Dialog".into(),
        system: Some("Be brief.".into()),
        messages: vec![SamplingMessage { from_model: false, text: text.into() }],
        max_tokens: 20,
        temperature: Some(0.5),
    };
    Ok(requests.sample(request).await?.map_or(Value::Null, |reply| reply.text.into()))
}

/// The results of what nodes call themselves.
fn unlisted(tool: &ToolSpec) -> Option<Value> {
    match (tool.source.as_str(), tool.name.as_str()) {
        (HTTP_SOURCE, _) => {
            Some(json!({ "status": 200, "headers": { "server": "fake" }, "body": { "ok": true } }))
        }
        ("native", "read_file") => Some(json!("The text of the file.")),
        ("native", "run_code") => Some(json!({ "result": 3, "log": ["Adding."] })),
        _ => None,
    }
}
