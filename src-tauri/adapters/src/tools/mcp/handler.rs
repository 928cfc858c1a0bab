//! Plait's side of the requests of a server: progress, questions to the person, sampling, logging, changed lists.
//!
//! A request of a server belongs to a call, and the protocol does not always say to which one. If several are in
//! progress, the request waits until all but one have ended; if all of them could be waiting, they end with a fault.
//! So of the tools that were not called yet, one is called at a time, and once a server has asked something, it gets one call
//! at a time.

// Sampling and logging are deprecated by the protocol, and servers use them.
#![allow(deprecated)]

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use plait_core::error::Fault;
use plait_llm::tool::{
    SamplingMessage, SamplingReply, SamplingRequest, ToolAnswer, ToolProgress, ToolQuestion, ToolRequests,
};
use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams,
    ElicitResult, ElicitationAction, ElicitationCapability, ErrorData, FormElicitationCapability,
    Implementation, InputRequest, LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken,
    Role, SamplingCapability, UrlElicitationCapability,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use serde_json::{Value, json};
use tokio::sync::{Notify, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::log::{McpLogOrigin, ServerLog};
use crate::codes;

/// Progress that comes faster is dropped.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(50);
const MAX_MESSAGE_CHARS: usize = 1_000;

pub(super) struct CallInProgress {
    progress: Arc<dyn Fn(ToolProgress) + Send + Sync>,
    requests: Arc<dyn ToolRequests>,
    last_progress: Mutex<Option<Instant>>,
    /// How many questions of it wait for an answer. Meanwhile its time does not run.
    pub(super) open_requests: AtomicUsize,
    /// Ends the call.
    fault: Mutex<Option<Fault>>,
    pub(super) aborted: Notify,
    is_aborted: AtomicBool,
}

impl CallInProgress {
    pub(super) fn new(
        progress: Arc<dyn Fn(ToolProgress) + Send + Sync>,
        requests: Arc<dyn ToolRequests>,
    ) -> Arc<Self> {
        Arc::new(Self {
            progress,
            requests,
            last_progress: Mutex::default(),
            open_requests: AtomicUsize::default(),
            fault: Mutex::default(),
            aborted: Notify::new(),
            is_aborted: AtomicBool::default(),
        })
    }

    pub(super) fn take_fault(&self) -> Option<Fault> {
        self.fault.lock().take()
    }

    fn abort(&self, fault: Fault) {
        *self.fault.lock() = Some(fault);
        self.is_aborted.store(true, Ordering::Release);
        self.aborted.notify_one();
    }

    fn on_progress(&self, progress: ToolProgress) {
        let is_last = progress.total.is_some_and(|total| progress.progress >= total);
        {
            let mut last = self.last_progress.lock();
            if !is_last && last.is_some_and(|at| at.elapsed() < PROGRESS_INTERVAL) {
                return;
            }
            *last = Some(Instant::now());
        }
        (self.progress)(progress);
    }

    /// Asks the person the server's question.
    async fn elicit(&self, server: &str, request: ElicitRequestParams) -> ElicitResult {
        let question = match request {
            ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => ToolQuestion {
                from: server.to_owned(),
                message: shorten(&message),
                schema: serde_json::to_value(requested_schema).unwrap_or_default(),
            },
            ElicitRequestParams::UrlElicitationParams { message, url, .. } => ToolQuestion {
                from: server.to_owned(),
                message: format!(
                    "{}\n\nOpen this address, then accept: {}",
                    shorten(&message),
                    shorten(&url)
                ),
                schema: json!({ "type": "object", "properties": {} }),
            },
            _ => return ElicitResult::new(ElicitationAction::Decline),
        };
        let _open = OpenRequest::new(self);
        match self.requests.ask(question).await {
            Ok(ToolAnswer::Accepted(value)) => {
                ElicitResult::new(ElicitationAction::Accept).with_content(value)
            }
            Ok(ToolAnswer::Declined) => ElicitResult::new(ElicitationAction::Decline),
            Err(fault) => {
                self.abort(fault);
                ElicitResult::new(ElicitationAction::Cancel)
            }
        }
    }

    /// Lets a model reply to the server.
    async fn sample(
        &self,
        server: &str,
        request: CreateMessageRequestParams,
    ) -> Result<CreateMessageResult, ErrorData> {
        let mut messages = Vec::with_capacity(request.messages.len());
        for message in &request.messages {
            let text = texts_of(&serde_json::to_value(&message.content).unwrap_or_default())
                .ok_or_else(|| ErrorData::invalid_params("Plait samples with texts only.", None))?;
            messages.push(SamplingMessage { from_model: message.role == Role::Assistant, text });
        }
        if messages.is_empty() {
            return Err(ErrorData::invalid_params("There is no message to reply to.", None));
        }
        let request = SamplingRequest {
            from: server.to_owned(),
            system: request.system_prompt,
            messages,
            max_tokens: request.max_tokens.into(),
            temperature: request.temperature.map(f64::from),
        };
        let _open = OpenRequest::new(self);
        match self.requests.sample(request).await {
            Ok(Some(SamplingReply { model, text, is_truncated })) => {
                let message = rmcp::model::SamplingMessage::assistant_text(text);
                let reason = if is_truncated {
                    CreateMessageResult::STOP_REASON_END_MAX_TOKEN
                } else {
                    CreateMessageResult::STOP_REASON_END_TURN
                };
                Ok(CreateMessageResult::new(message, model).with_stop_reason(reason))
            }
            Ok(None) => Err(ErrorData::new(
                rmcp::model::ErrorCode(-1),
                "The user rejected the sampling request.",
                None,
            )),
            Err(fault) => {
                let message = fault.message.clone();
                self.abort(fault);
                Err(ErrorData::internal_error(message, None))
            }
        }
    }

    /// Serves a request that came in the result of a call.
    pub(super) async fn serve(&self, server: &str, request: InputRequest) -> Result<Value, Fault> {
        let reply = match request {
            InputRequest::Elicitation(request) => {
                serde_json::to_value(self.elicit(server, request.params).await)
            }
            InputRequest::CreateMessage(request) => match self.sample(server, request.params).await {
                Ok(result) => serde_json::to_value(result),
                Err(error) => serde_json::to_value(json!({ "error": error })),
            },
            _ => serde_json::to_value(json!({ "roots": [] })),
        };
        match self.take_fault() {
            Some(fault) => Err(fault),
            None => Ok(reply.unwrap_or_default()),
        }
    }
}

/// Counts a question while it is open.
struct OpenRequest<'a>(&'a CallInProgress);

impl<'a> OpenRequest<'a> {
    fn new(call: &'a CallInProgress) -> Self {
        call.open_requests.fetch_add(1, Ordering::Relaxed);
        Self(call)
    }
}

impl Drop for OpenRequest<'_> {
    fn drop(&mut self) {
        self.0.open_requests.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Plait as the client of one connection.
#[derive(Clone)]
pub(super) struct Client(Arc<ClientState>);

struct ClientState {
    server: String,
    log: Arc<ServerLog>,
    calls: Mutex<HashMap<u64, Arc<CallInProgress>>>,
    by_progress_token: Mutex<BTreeMap<String, u64>>,
    next_call: std::sync::atomic::AtomicU64,
    tools_changed: AtomicBool,
    /// Whether the server has asked something. Then its calls are made one at a time.
    asks: AtomicBool,
    call_lock: RwLock<()>,
    /// The tools with a call that has ended, by which it is known whether they ask.
    tried: Mutex<HashSet<String>>,
    /// Held during the first call of a tool.
    first_call_lock: tokio::sync::Mutex<()>,
    /// How many requests wait until it is clear to which call they belong.
    unclear: AtomicUsize,
    /// A call ended, or a request waits.
    changed: Notify,
}

/// Held while a call is made: by one call alone if the server asks questions, and by one of the first calls of tools.
#[expect(dead_code, reason = "they are held")]
pub(super) enum CallPermit<'a> {
    Shared(RwLockReadGuard<'a, ()>),
    First(RwLockReadGuard<'a, ()>, tokio::sync::MutexGuard<'a, ()>),
    Exclusive(RwLockWriteGuard<'a, ()>),
}

impl Client {
    pub(super) fn new(server: &str, log: Arc<ServerLog>) -> Self {
        Self(Arc::new(ClientState {
            server: server.to_owned(),
            log,
            calls: Mutex::default(),
            by_progress_token: Mutex::default(),
            next_call: std::sync::atomic::AtomicU64::default(),
            tools_changed: AtomicBool::default(),
            asks: AtomicBool::default(),
            call_lock: RwLock::default(),
            tried: Mutex::default(),
            first_call_lock: tokio::sync::Mutex::default(),
            unclear: AtomicUsize::default(),
            changed: Notify::new(),
        }))
    }

    /// Whether the server said that its tools changed since the last time this was asked.
    pub(super) fn take_tools_changed(&self) -> bool {
        self.0.tools_changed.swap(false, Ordering::Relaxed)
    }

    /// Registers a call, until the guard is dropped.
    pub(super) fn register(&self, call: Arc<CallInProgress>) -> RegisteredCall {
        let id = self.0.next_call.fetch_add(1, Ordering::Relaxed);
        self.0.calls.lock().insert(id, call);
        RegisteredCall { client: self.clone(), id, tokens: Vec::new() }
    }

    /// Waits until a call of the tool may be made.
    pub(super) async fn acquire_call_permit(&self, tool: &str) -> CallPermit<'_> {
        let mut first = None;
        if !self.asks() && !self.0.tried.lock().contains(tool) {
            first = Some(self.0.first_call_lock.lock().await);
        }
        if self.asks() {
            return CallPermit::Exclusive(self.0.call_lock.write().await);
        }
        let shared = self.0.call_lock.read().await;
        // Another call may have been the first, meanwhile.
        match first.filter(|_| !self.0.tried.lock().contains(tool)) {
            Some(first) => CallPermit::First(shared, first),
            None => CallPermit::Shared(shared),
        }
    }

    fn asks(&self) -> bool {
        self.0.asks.load(Ordering::Relaxed)
    }

    /// A call of the tool has ended.
    pub(super) fn note_tried(&self, tool: &str) {
        self.0.tried.lock().insert(tool.to_owned());
    }

    /// Whether a request waits until it is clear to which call it belongs. Meanwhile no call runs out of time.
    pub(super) fn has_unclear_request(&self) -> bool {
        self.0.unclear.load(Ordering::Relaxed) > 0
    }

    /// The call that a request of the server belongs to.
    async fn call_of_request(&self) -> Option<Arc<CallInProgress>> {
        self.0.asks.store(true, Ordering::Relaxed);
        let mut waiting = None;
        loop {
            let changed = self.0.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            {
                let calls = self.0.calls.lock();
                match calls.len() {
                    0 => {
                        let why = "Declined a request of the server, since no call is in progress.";
                        self.0.log.push(McpLogOrigin::Plait, why);
                        return None;
                    }
                    1 => {
                        let is_running =
                            |call: &&Arc<CallInProgress>| !call.is_aborted.load(Ordering::Acquire);
                        return calls.values().next().filter(is_running).cloned();
                    }
                    count => {
                        waiting.get_or_insert_with(|| UnclearRequest::new(&self.0));
                        if self.0.unclear.load(Ordering::Relaxed) >= count {
                            for call in calls.values() {
                                call.abort(unclear(&self.0.server));
                            }
                            return None;
                        }
                    }
                }
            }
            changed.await;
        }
    }
}

/// Counts a request that waits until it is clear to which call it belongs.
struct UnclearRequest<'a>(&'a ClientState);

impl<'a> UnclearRequest<'a> {
    fn new(state: &'a ClientState) -> Self {
        state.unclear.fetch_add(1, Ordering::Relaxed);
        state.changed.notify_waiters();
        Self(state)
    }
}

impl Drop for UnclearRequest<'_> {
    fn drop(&mut self) {
        self.0.unclear.fetch_sub(1, Ordering::Relaxed);
    }
}

fn unclear(server: &str) -> Fault {
    let message = format!(
        "The MCP server `{server}` asked something during several calls and did not say during which."
    );
    Fault::new(codes::MCP_UNCLEAR_REQUEST, message)
        .hint("Call it again: from now on its calls are made one at a time.")
}

pub(super) struct RegisteredCall {
    client: Client,
    id: u64,
    tokens: Vec<String>,
}

impl RegisteredCall {
    /// Attributes progress under this token to the call.
    pub(super) fn add_token(&mut self, token: &ProgressToken) {
        let token = key_of(token);
        self.client.0.by_progress_token.lock().insert(token.clone(), self.id);
        self.tokens.push(token);
    }
}

impl Drop for RegisteredCall {
    fn drop(&mut self) {
        self.client.0.calls.lock().remove(&self.id);
        let mut tokens = self.client.0.by_progress_token.lock();
        for token in &self.tokens {
            tokens.remove(token);
        }
        self.client.0.changed.notify_waiters();
    }
}

fn key_of(token: &ProgressToken) -> String {
    serde_json::to_string(token).unwrap_or_default()
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        let mut elicitation = ElicitationCapability::new();
        elicitation.form = Some(FormElicitationCapability::default());
        elicitation.url = Some(UrlElicitationCapability::default());
        capabilities.elicitation = Some(elicitation);
        capabilities.sampling = Some(SamplingCapability::default());
        ClientConfig::new(capabilities, Implementation::new("plait", env!("CARGO_PKG_VERSION")))
    }

    async fn create_message(
        &self,
        params: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        match self.call_of_request().await {
            Some(call) => call.sample(&self.0.server, params).await,
            None => Err(ErrorData::invalid_request("No call to sample for.", None)),
        }
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        match self.call_of_request().await {
            Some(call) => Ok(call.elicit(&self.0.server, request).await),
            None => Ok(ElicitResult::new(ElicitationAction::Decline)),
        }
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let id = self.0.by_progress_token.lock().get(&key_of(&params.progress_token)).copied();
        let call = id.and_then(|id| self.0.calls.lock().get(&id).cloned());
        if let Some(call) = call {
            let message = params.message.as_deref().map(shorten);
            call.on_progress(ToolProgress { progress: params.progress, total: params.total, message });
        }
    }

    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let text = params.data.as_str().map_or_else(|| params.data.to_string(), str::to_owned);
        self.0.log.push(McpLogOrigin::Message, &text);
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.0.tools_changed.store(true, Ordering::Relaxed);
    }
}

fn shorten(text: &str) -> String {
    text.chars().take(MAX_MESSAGE_CHARS).collect()
}

/// The text of content: one block or several, all of them texts.
fn texts_of(content: &Value) -> Option<String> {
    match content {
        Value::Array(blocks) => {
            let texts: Option<Vec<String>> = blocks.iter().map(texts_of).collect();
            Some(texts?.join("\n"))
        }
        block => block.get("text").and_then(Value::as_str).map(str::to_owned),
    }
}
