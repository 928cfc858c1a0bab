//! Tools that a model may call: the trait, its specification and its call.

use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::codes;
use crate::grant::CallGrants;
use crate::long_term_memory::{MemorySource, MemoryStore, NoMemoryStore};
use plait_core::error::Fault;
use plait_core::flow::FolderAccess;
use plait_core::origin::{Origin, Origins};
use plait_core::user::UserName;

/// What the source of a tool of an MCP server begins with; the name of the server follows.
const MCP_PREFIX: &str = "mcp:";

/// A tool as a model sees it; also the value on tools edges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolSpec {
    /// Unique among the tools of a call.
    pub name: String,
    /// Written for the model.
    pub description: String,
    /// The JSON Schema of its arguments.
    #[ts(type = "Record<string, unknown>")]
    pub parameters: Value,
    /// Which host runs it, and from where it comes: `native`, `http`, or `mcp:SERVER`.
    pub source: String,
    /// Instructions for its use; they become a block of the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub instructions: Option<String>,
    /// What its host needs to know besides the arguments, such as the request of an HTTP tool. Models do not see it.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    #[ts(optional, type = "unknown")]
    pub binding: Value,
    /// What a call changes. Left out if it is nothing, so that requests to models keep the reply keys they had before.
    #[serde(default, skip_serializing_if = "ToolEffect::is_read")]
    #[ts(optional, as = "Option<ToolEffect>")]
    pub effect: ToolEffect,
    /// How it is called.
    #[serde(default, skip_serializing_if = "ToolPolicy::is_default")]
    #[ts(optional, as = "Option<ToolPolicy>")]
    pub policy: ToolPolicy,
}

impl ToolSpec {
    /// A tool that changes nothing, without instructions, called in the usual way.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        parameters: Value,
        source: impl Into<String>,
    ) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            parameters,
            source: source.into(),
            instructions: None,
            binding: Value::Null,
            effect: ToolEffect::Read,
            policy: ToolPolicy::default(),
        }
    }

    /// Whether the context of a call leaves with it: as its declaration says, or the settings of its MCP server.
    pub fn sends_context(&self) -> bool {
        match &self.binding["context"] {
            Value::Null => self.binding["sendContext"].as_bool().unwrap_or_default(),
            placement => placement.as_str() != Some("none"),
        }
    }

    /// The MCP server that it is a tool of, if it is one.
    pub fn mcp_server(&self) -> Option<&str> {
        self.source.strip_prefix(MCP_PREFIX)
    }
}

/// What a call of a tool changes outside of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum ToolEffect {
    /// Nothing: it may be called again after a crash.
    #[default]
    Read,
    /// Nothing here, but what the arguments hold leaves for a place outside. It may be called again after a crash.
    Send,
    /// Something: it is never called again without asking.
    Write,
}

impl ToolEffect {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_read(&self) -> bool {
        *self == Self::Read
    }
}

/// How a tool is called. The flow decides it, not the model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ToolPolicy {
    /// The longest time a call may take, in milliseconds. If empty, 60,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 3_600_000))]
    #[ts(optional, type = "number")]
    pub timeout_ms: Option<u64>,
    /// How often a call is tried, if it fails with an error that may pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10))]
    #[ts(optional)]
    pub attempts: Option<u32>,
    /// Whether a person is asked before each call.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub approval: bool,
}

impl ToolPolicy {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// What a tool may know of the conversation that it is called from. On the wire it stands under [`TOOL_CONTEXT_KEY`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolContext {
    /// The rolling summary of the workflow's memory, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow_summary: Option<String>,
    /// The recent turns, oldest first, each as "label: text".
    pub recent_turns: Vec<String>,
    /// The iteration of the innermost cycle around the node, from 0.
    pub round: u32,
}

/// The reserved key of the [`ToolContext`] in what an external tool receives.
pub const TOOL_CONTEXT_KEY: &str = "__context";

/// For whom a tool is called, and from where. Nothing that a model says changes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallSite {
    /// The run's user.
    pub user: UserName,
    /// The flow, the run and the node; empty for a call outside of a run.
    pub source: MemorySource,
    /// Where its arguments come from.
    pub origins: Origins,
    /// What tells the call from all others of all runs. Further attempts of it have the same.
    pub key: String,
}

/// A tool call to execute. The arguments match the tool's schema.
#[derive(Clone)]
pub struct ToolInvocation {
    /// The tool, as it was offered to the model.
    pub tool: Arc<ToolSpec>,
    /// The arguments from the model.
    pub arguments: Value,
    /// The folder of the flow's file, to which file access is confined. `None` for a flow that was never saved.
    pub folder: Option<String>,
    /// The folders that the flow declares, relative to `folder`. Without any, the folder of its file may be read.
    pub folders: Arc<[FolderAccess]>,
    /// What the tool may know of the conversation.
    pub context: Arc<ToolContext>,
    /// For whom it is called, and from where.
    pub site: Arc<CallSite>,
    /// What the run remembers of its user.
    pub memories: Arc<dyn MemoryStore>,
    /// What the call may use: checked again where a host is requested or a file is opened.
    pub grants: CallGrants,
    /// Receives progress, for watchers.
    pub progress: Arc<dyn Fn(ToolProgress) + Send + Sync>,
    /// Serves what the tool asks for during the call.
    pub requests: Arc<dyn ToolRequests>,
    /// Receives where the result or the error comes from, besides the arguments.
    pub origins: OriginSink,
}

impl ToolInvocation {
    /// A call of `tool`, outside of any folder, conversation and run, without memories.
    pub fn new(tool: ToolSpec, arguments: Value) -> Self {
        Self {
            tool: Arc::new(tool),
            arguments,
            folder: None,
            folders: Arc::default(),
            context: Arc::default(),
            site: Arc::default(),
            memories: NoMemoryStore::shared(),
            grants: CallGrants::default(),
            progress: Arc::new(|_| ()),
            requests: Arc::new(DeclineRequests),
            origins: OriginSink::default(),
        }
    }
}

/// Collects where the result of a call comes from. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct OriginSink(Arc<Mutex<Origins>>);

impl OriginSink {
    /// Adds a place. A host adds it before it reads from there, so that an error has it as well.
    pub fn add(&self, origin: Origin) {
        self.0.lock().add(&Origins::of(origin));
    }

    pub fn add_all(&self, origins: &Origins) {
        self.0.lock().add(origins);
    }

    /// What was added so far.
    pub fn current(&self) -> Origins {
        self.0.lock().clone()
    }

    /// The same, and forgets it.
    pub fn take(&self) -> Origins {
        mem::take(&mut self.0.lock())
    }
}

/// What a call led to.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// The result, or an error that the model receives.
    pub outcome: Result<Value, Fault>,
    /// Where it comes from, besides the arguments.
    pub origins: Origins,
}

impl ToolResult {
    /// A result or an error that follows from the arguments and the run alone.
    pub fn own(outcome: Result<Value, Fault>) -> Self {
        Self { outcome, origins: Origins::NONE }
    }

    /// As an event `tool.finished` has it.
    pub fn recorded(result: Option<&Value>, error: Option<&Fault>, origins: &Origins) -> Self {
        let outcome = match error {
            Some(error) => Err(error.clone()),
            None => Ok(result.cloned().unwrap_or_default()),
        };
        Self { outcome, origins: origins.clone() }
    }
}

/// How far a call has come.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolProgress {
    /// What is done, in the tool's own unit.
    pub progress: f64,
    /// How much there is to do, if the tool knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub total: Option<f64>,
    /// What the tool says about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub message: Option<String>,
}

impl ToolProgress {
    /// Of a server that is starting, which has taken `waited` so far.
    pub fn of_starting_server(server: &str, waited: Duration) -> Self {
        let seconds = waited.as_secs();
        let message = format!("Waiting for the MCP server `{server}` to start ({seconds} s)");
        Self { progress: waited.as_secs_f64(), total: None, message: Some(message) }
    }
}

/// What a tool may ask for while a call of it is in progress.
///
/// A call that asks is interrupted: the activation pauses, and when it executes again, so does the call. It receives the
/// recorded answer wherever it asks the same again; what it has not asked before is another question.
#[async_trait]
pub trait ToolRequests: Send + Sync {
    /// Asks the person. Faults end the call.
    async fn ask(&self, question: ToolQuestion) -> Result<ToolAnswer, Fault>;
    /// Lets a model reply, if the person agrees. It counts as a model call of the run. `None` if the person declines. Faults
    /// end the call.
    async fn sample(&self, request: SamplingRequest) -> Result<Option<SamplingReply>, Fault>;
}

/// Declines everything: for calls outside of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeclineRequests;

#[async_trait]
impl ToolRequests for DeclineRequests {
    async fn ask(&self, _: ToolQuestion) -> Result<ToolAnswer, Fault> {
        Ok(ToolAnswer::Declined)
    }

    async fn sample(&self, _: SamplingRequest) -> Result<Option<SamplingReply>, Fault> {
        Ok(None)
    }
}

/// A question of a tool to the person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolQuestion {
    /// Who asks, for example the name of an MCP server.
    pub from: String,
    /// Written for the person. It is the tool's text, so it may be misleading.
    pub message: String,
    /// The JSON Schema of the answer: an object of texts, numbers, booleans and choices.
    pub schema: Value,
}

/// What the person answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ToolAnswer {
    /// The answer, which follows the schema.
    Accepted(Value),
    /// The person refused to answer.
    Declined,
}

/// A tool's request for the reply of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SamplingRequest {
    /// Who asks, for example the name of an MCP server.
    pub from: String,
    pub system: Option<String>,
    /// The conversation, oldest first.
    pub messages: Vec<SamplingMessage>,
    pub max_tokens: u64,
    pub temperature: Option<f64>,
}

/// A message of a [`SamplingRequest`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SamplingMessage {
    /// Whether the model said it; otherwise the user did.
    pub from_model: bool,
    pub text: String,
}

/// What the model replied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SamplingReply {
    pub model: String,
    pub text: String,
    /// Whether `max_tokens` cut the reply short.
    pub is_truncated: bool,
}

/// Which request of a tool for the reply of a model it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SamplingRef {
    /// The id of the tool call.
    pub call_id: String,
    /// Its number among what the call asked for, questions to the person included, from 0.
    pub index: u32,
}

/// The tool call that a person is asked about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolPause {
    /// The step of the model call that requests the tool call.
    pub step: u32,
    pub call_id: String,
    /// The tool's name.
    pub name: String,
    pub kind: ToolPauseKind,
    /// The places that others write to which the arguments come from, if the person is asked because of them.
    #[serde(default, skip_serializing_if = "Origins::is_empty")]
    #[ts(optional, as = "Option<Origins>")]
    pub untrusted: Origins,
    /// Other calls of the same reply that ended because their tools asked as well. They are made again, and ask then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub also_asking: Vec<String>,
}

/// What a person is asked about a tool call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum ToolPauseKind {
    /// Whether it may be made.
    Approval,
    /// Whether it may be made again after an interruption.
    Repeat,
    /// The tool asks.
    Tool,
    /// The tool requests the reply of a model.
    Sampling,
    /// Whether a model call may exceed a quota. It is about no tool: the name is that of the quota.
    Quota,
}

impl ToolPauseKind {
    /// Whether the tool asks, during a call that ends by that.
    pub fn is_of_tool(self) -> bool {
        matches!(self, Self::Tool | Self::Sampling)
    }
}

/// How an MCP server of the person is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerAddress {
    /// A process with this command line.
    Command(String),
    Url(String),
}

/// The facts about an MCP server.
#[derive(Clone, Debug)]
pub struct KnownServer {
    pub address: ServerAddress,
    /// Its accepted tools by the names that models call them by. `None` if it was never connected.
    pub tools: Option<BTreeMap<String, KnownTool>>,
}

/// An accepted tool of an MCP server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownTool {
    /// The name that the server gives it, which may differ from the one that models call it by.
    pub name: String,
    pub effect: ToolEffect,
}

/// Executes tool calls.
#[async_trait]
pub trait ToolHost: Send + Sync {
    /// The tools that are available to every flow, sorted by name.
    fn list(&self) -> Vec<ToolSpec>;
    /// The MCP servers of the person, by name, as far as they are known without starting any.
    fn servers(&self) -> BTreeMap<String, KnownServer> {
        BTreeMap::new()
    }
    /// The tools of an MCP server of the person, which is started if it does not run. `mcp.unknown_server` if there is none of
    /// this name.
    async fn list_server(&self, server: &str) -> Result<Vec<ToolSpec>, Fault> {
        Err(Fault::new(codes::MCP_UNKNOWN_SERVER, format!("There is no MCP server `{server}`.")))
    }
    /// Executes a call. Dropping the future cancels it. Unknown tools and invalid arguments are faults `tool.*`; the model
    /// receives them.
    async fn call(&self, call: ToolInvocation) -> Result<Value, Fault>;
}
