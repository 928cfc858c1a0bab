//! One connection to a server: the handshake, its lists, its calls. It ends with the process or the session behind it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use plait_core::error::Fault;
use plait_llm::tool::{TOOL_CONTEXT_KEY, ToolContext, ToolInvocation};
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, CustomResult, GetTaskParams,
    InputRequests, InputResponses, ListToolsRequest, PaginatedRequestParams, Prompt, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, RequestMetaObject, Resource, ResourceTemplate,
    ServerPeerInfo, ServerResult, TaskPayload, UpdateTaskParams,
};
use rmcp::service::{
    ClientLifecycleMode, Peer, PeerRequestOptions, RequestHandle, RunningService, serve_client_with_lifecycle,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::Value;
use tokio::sync::watch;

use super::definitions::{MAX_TOOLS, McpBinding, McpTool};
use super::faults::ConnectionFaults;
use super::handler::{CallInProgress, Client, RegisteredCall};
use super::log::ServerLog;
use super::probed_transport::ProbedTransport;
use super::process::{ServerCommand, ServerProcess};
use super::stdio_guard::{MAX_MESSAGE_BYTES, StdioTransport, StdoutGuard};
use super::tool_result::{self, ResultWithImages};
use crate::codes;
use crate::net::is_loopback;

/// How long the handshake may take. Launchers such as `npx` may download the server first, which often takes a minute.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_mins(2);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
/// How long a list or a resource may take.
const LIST_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a call may take, unless its tool says otherwise.
const DEFAULT_CALL_TIMEOUT: Duration = Duration::from_mins(1);
const MAX_PAGES: usize = 100;
const MAX_LISTED_ITEMS: usize = 5_000;
/// How often a call may ask for input.
const MAX_INPUT_ROUNDS: usize = 10;
const MAX_TASK_POLL_INTERVAL: Duration = Duration::from_secs(5);
const MIN_TASK_POLL_INTERVAL: Duration = Duration::from_millis(100);

/// How to reach a server, with its secrets.
pub(super) enum Target {
    Command(ServerCommand),
    Url { url: String, headers: BTreeMap<String, String> },
}

/// An open connection.
pub(super) struct Connection {
    server: String,
    service: RunningService<RoleClient, Client>,
    client: Client,
    pub(super) process: Option<ServerProcess>,
    guard: Option<Arc<StdoutGuard>>,
    log: Arc<ServerLog>,
    tools: tokio::sync::Mutex<Option<Arc<Vec<McpTool>>>>,
}

impl Connection {
    /// Starts or calls the server, and greets it.
    pub(super) async fn open(server: &str, target: Target, log: Arc<ServerLog>) -> Result<Self, Fault> {
        let client = Client::new(server, Arc::clone(&log));
        match target {
            Target::Command(command) => {
                let (process, pipes) = ServerProcess::start(server, &command, Arc::clone(&log))?;
                let stderr_log = Arc::clone(&log);
                tokio::spawn(async move { stderr_log.follow(pipes.stderr).await });
                let guard = StdoutGuard::new(Arc::clone(&log));
                let transport =
                    ProbedTransport::new(StdioTransport::new(pipes.stdout, pipes.stdin, Arc::clone(&guard)));
                let faults =
                    ConnectionFaults { server, process: Some(&process), guard: Some(&guard), log: &log };
                let greeting = serve_client_with_lifecycle(client.clone(), transport, lifecycle());
                let service = match tokio::time::timeout(HANDSHAKE_TIMEOUT, greeting).await {
                    Ok(Ok(service)) => service,
                    Ok(Err(error)) => return Err(faults.of_handshake(&error).await),
                    Err(_) => return Err(faults.of_silent_handshake(HANDSHAKE_TIMEOUT)),
                };
                Ok(Self::new(server, service, client, Some(process), Some(guard), log))
            }
            Target::Url { url, headers } => {
                let transport = http_transport(server, &url, headers)?;
                let faults = ConnectionFaults { server, process: None, guard: None, log: &log };
                let greeting = serve_client_with_lifecycle(client.clone(), transport, lifecycle());
                let service = match tokio::time::timeout(HANDSHAKE_TIMEOUT, greeting).await {
                    Ok(Ok(service)) => service,
                    Ok(Err(error)) => return Err(faults.of_handshake(&error).await),
                    Err(_) => return Err(faults.of_silent_handshake(HANDSHAKE_TIMEOUT)),
                };
                Ok(Self::new(server, service, client, None, None, log))
            }
        }
    }

    fn new(
        server: &str,
        service: RunningService<RoleClient, Client>,
        client: Client,
        process: Option<ServerProcess>,
        guard: Option<Arc<StdoutGuard>>,
        log: Arc<ServerLog>,
    ) -> Self {
        Self {
            server: server.to_owned(),
            service,
            client,
            process,
            guard,
            log,
            tools: tokio::sync::Mutex::default(),
        }
    }

    /// Whether it can still be used.
    pub(super) fn is_open(&self) -> bool {
        !self.service.peer().is_transport_closed()
    }

    /// The server's description of itself.
    pub(super) fn info(&self) -> Option<Arc<ServerPeerInfo>> {
        self.service.peer().peer_info()
    }

    /// Closes the connection, and ends the process.
    pub(super) async fn close(&self) {
        self.service.cancellation_token().cancel();
        if let Some(process) = &self.process {
            process.stop().await;
        }
    }

    /// The tools of the server, listed again after it said that they changed.
    pub(super) async fn tools(&self) -> Result<Arc<Vec<McpTool>>, Fault> {
        let mut cached = self.tools.lock().await;
        if self.client.take_tools_changed() {
            *cached = None;
        }
        if let Some(tools) = &*cached {
            return Ok(Arc::clone(tools));
        }
        let mut tools = Vec::new();
        let mut cursor = None;
        for _ in 0..MAX_PAGES {
            let (page, next_cursor) = self.list_tools(page(cursor)).await?;
            tools.extend(page);
            cursor = next_cursor;
            if cursor.is_none() || tools.len() > MAX_TOOLS {
                break;
            }
        }
        if cursor.is_some() || tools.len() > MAX_TOOLS {
            let message = format!("The MCP server `{}` lists more than {MAX_TOOLS} tools.", self.server);
            return Err(Fault::new(codes::MCP_TOO_MANY_TOOLS, message));
        }
        tools.sort_by(|left, right| left.name.cmp(&right.name));
        // Two tools of one name cannot be distinguished.
        tools.dedup_by(|second, first| second.name == first.name);
        let tools = Arc::new(tools);
        *cached = Some(Arc::clone(&tools));
        Ok(tools)
    }

    /// One page of the tools, with the cursor of the next.
    async fn list_tools(
        &self,
        params: Option<PaginatedRequestParams>,
    ) -> Result<(Vec<McpTool>, Option<String>), Fault> {
        let request = ListToolsRequest { params, ..ListToolsRequest::default() };
        let request = self.peer().send_request(ClientRequest::ListToolsRequest(request));
        match self.bounded(request).await? {
            ServerResult::ListToolsResult(page) => {
                Ok((page.tools.into_iter().map(McpTool::new).collect(), page.next_cursor))
            }
            // For the SDK, a list is none if one of its tools is none.
            ServerResult::CustomResult(CustomResult(mut page)) if page["tools"].is_array() => {
                let next_cursor = page["nextCursor"].as_str().map(str::to_owned);
                let tools = page["tools"].as_array_mut().map(std::mem::take).unwrap_or_default();
                Ok((tools.into_iter().map(McpTool::read).collect(), next_cursor))
            }
            _ => Err(self.faults().of_unexpected("a list of tools")),
        }
    }

    /// The resources of the server, if it has some.
    pub(super) async fn resources(&self) -> Result<Vec<Resource>, Fault> {
        if self.info().is_none_or(|info| info.capabilities.resources.is_none()) {
            return Ok(Vec::new());
        }
        let (mut items, mut cursor) = (Vec::new(), None);
        for _ in 0..MAX_PAGES {
            let page = self.bounded(self.peer().list_resources(page(cursor))).await?;
            items.extend(page.resources);
            cursor = page.next_cursor;
            if cursor.is_none() || items.len() >= MAX_LISTED_ITEMS {
                break;
            }
        }
        items.truncate(MAX_LISTED_ITEMS);
        Ok(items)
    }

    /// The templates of resources of the server, if it has some.
    pub(super) async fn resource_templates(&self) -> Result<Vec<ResourceTemplate>, Fault> {
        if self.info().is_none_or(|info| info.capabilities.resources.is_none()) {
            return Ok(Vec::new());
        }
        let listed = self.bounded(self.peer().list_resource_templates(None)).await;
        match listed {
            Ok(page) => Ok(page.resource_templates),
            // Servers with resources and without templates may not know the method.
            Err(fault) if fault.code == codes::MCP_REFUSED => Ok(Vec::new()),
            Err(fault) => Err(fault),
        }
    }

    /// The prompts of the server, if it has some.
    pub(super) async fn prompts(&self) -> Result<Vec<Prompt>, Fault> {
        if self.info().is_none_or(|info| info.capabilities.prompts.is_none()) {
            return Ok(Vec::new());
        }
        let (mut items, mut cursor) = (Vec::new(), None);
        for _ in 0..MAX_PAGES {
            let page = self.bounded(self.peer().list_prompts(page(cursor))).await?;
            items.extend(page.prompts);
            cursor = page.next_cursor;
            if cursor.is_none() || items.len() >= MAX_LISTED_ITEMS {
                break;
            }
        }
        items.truncate(MAX_LISTED_ITEMS);
        Ok(items)
    }

    pub(super) async fn read_resource(&self, uri: &str) -> Result<Value, Fault> {
        let params = ReadResourceRequestParams::new(uri);
        match self.bounded(self.peer().read_resource_once(params)).await? {
            ReadResourceResponse::Complete(result) => {
                Ok(result.contents.into_iter().map(tool_result::describe_resource).collect())
            }
            _ => Err(self.faults().of_unexpected("a resource")),
        }
    }

    /// Calls a tool. Dropping the future cancels the call.
    pub(super) async fn call(
        &self,
        binding: &McpBinding,
        invocation: &ToolInvocation,
        context: Option<&ToolContext>,
    ) -> Result<ResultWithImages, Fault> {
        let _permit = self.client.acquire_call_permit(&binding.tool).await;
        let call = CallInProgress::new(Arc::clone(&invocation.progress), Arc::clone(&invocation.requests));
        let mut registered = self.client.register(Arc::clone(&call));
        let timeout = invocation.tool.policy.timeout_ms.map_or(DEFAULT_CALL_TIMEOUT, Duration::from_millis);
        let mut oversized = self.guard.as_ref().map(|guard| guard.oversized.subscribe());
        let outcome = tokio::select! {
            outcome = self.rounds(binding, &invocation.arguments, context, &call, &mut registered) => outcome,
            () = call.aborted.notified() => Err(self.faults().of_unexpected("a question")),
            () = wait_for_oversized(&mut oversized) => Err(self.faults().of_oversized(MAX_MESSAGE_BYTES)),
            () = run_out(timeout, &call, &self.client) => Err(self.faults().of_silent_call(&binding.tool, timeout)),
        };
        self.client.note_tried(&binding.tool);
        // A question that could not be asked ends the call; the server's own result does not count.
        if let Some(fault) = call.take_fault() {
            return Err(fault);
        }
        tool_result::to_value(&self.server, &binding.tool, outcome?)
    }

    /// Calls a tool until its result is complete: it may ask for input, or become a task.
    async fn rounds(
        &self,
        binding: &McpBinding,
        arguments: &Value,
        context: Option<&ToolContext>,
        call: &CallInProgress,
        registered: &mut RegisteredCall,
    ) -> Result<CallToolResult, Fault> {
        let mut params = CallToolRequestParams::new(binding.tool.clone());
        params.arguments = arguments.as_object().cloned();
        for _ in 0..MAX_INPUT_ROUNDS {
            let request = ClientRequest::CallToolRequest(CallToolRequest::new(params.clone()));
            let mut options = PeerRequestOptions::no_options();
            options.meta = context.map(context_meta);
            let handle = self.peer().send_cancellable_request(request, options).await;
            let handle = match handle {
                Ok(handle) => handle,
                Err(error) => return Err(self.faults().of_call(&error).await),
            };
            registered.add_token(&handle.progress_token);
            let response = match CancelOnDrop::new(handle).response().await {
                Ok(response) => response,
                Err(error) => return Err(self.faults().of_call(&error).await),
            };
            match response {
                ServerResult::CallToolResult(result) => return Ok(result),
                ServerResult::EmptyResult(_) => return Ok(CallToolResult::default()),
                ServerResult::CreateTaskResult(task) => {
                    return self.poll_task(&task.task.task_id, call).await;
                }
                ServerResult::InputRequiredResult(required) => {
                    params.input_responses =
                        Some(self.serve(call, required.input_requests.unwrap_or_default()).await?);
                    params.request_state = required.request_state;
                }
                _ => return Err(self.faults().of_unexpected("a result")),
            }
        }
        Err(self.faults().of_unexpected("a result after ten rounds of questions"))
    }

    async fn serve(&self, call: &CallInProgress, requests: InputRequests) -> Result<InputResponses, Fault> {
        let mut responses = InputResponses::new();
        for (key, request) in requests {
            responses.insert(key, call.serve(&self.server, request).await?);
        }
        Ok(responses)
    }

    /// Asks for the state of a task until it has ended.
    async fn poll_task(&self, id: &str, call: &CallInProgress) -> Result<CallToolResult, Fault> {
        loop {
            let state = match self.peer().get_task(GetTaskParams::new(id)).await {
                Ok(state) => state.task,
                Err(error) => return Err(self.faults().of_call(&error).await),
            };
            match state.payload {
                TaskPayload::Completed { result } => {
                    return serde_json::from_value(Value::Object(result))
                        .map_err(|_| self.faults().of_unexpected("the result of a task"));
                }
                TaskPayload::Failed { error } => {
                    let message = error.get("message").and_then(Value::as_str).unwrap_or("no reason given");
                    return Err(self.faults().of_refusal(message));
                }
                TaskPayload::Cancelled => return Err(self.faults().of_refusal("the task was canceled")),
                TaskPayload::InputRequired { input_requests } => {
                    let responses = self.serve(call, input_requests).await?;
                    let update = UpdateTaskParams::new(id, responses);
                    if let Err(error) = self.peer().update_task(update).await {
                        return Err(self.faults().of_call(&error).await);
                    }
                }
                _ => {}
            }
            let interval = state.task.poll_interval_ms.map_or(MIN_TASK_POLL_INTERVAL, Duration::from_millis);
            tokio::time::sleep(interval.clamp(MIN_TASK_POLL_INTERVAL, MAX_TASK_POLL_INTERVAL)).await;
        }
    }

    fn peer(&self) -> &Peer<RoleClient> {
        self.service.peer()
    }

    fn faults(&self) -> ConnectionFaults<'_> {
        ConnectionFaults {
            server: &self.server,
            process: self.process.as_ref(),
            guard: self.guard.as_deref(),
            log: &self.log,
        }
    }

    /// A request that is no call, within its time.
    async fn bounded<T>(
        &self,
        request: impl Future<Output = Result<T, rmcp::ServiceError>>,
    ) -> Result<T, Fault> {
        let mut oversized = self.guard.as_ref().map(|guard| guard.oversized.subscribe());
        tokio::select! {
            response = request => match response {
                Ok(response) => Ok(response),
                Err(error) => Err(self.faults().of_call(&error).await),
            },
            () = wait_for_oversized(&mut oversized) => Err(self.faults().of_oversized(MAX_MESSAGE_BYTES)),
            () = tokio::time::sleep(LIST_TIMEOUT) => Err(self.faults().of_silent_call("a list", LIST_TIMEOUT)),
        }
    }
}

/// A request that is canceled at the server when its future is dropped.
struct CancelOnDrop(Option<RequestHandle<RoleClient>>);

impl CancelOnDrop {
    fn new(handle: RequestHandle<RoleClient>) -> Self {
        Self(Some(handle))
    }

    async fn response(mut self) -> Result<ServerResult, rmcp::ServiceError> {
        let Some(handle) = &mut self.0 else { return Err(rmcp::ServiceError::TransportClosed) };
        let response = (&mut handle.rx).await;
        self.0 = None;
        response.unwrap_or(Err(rmcp::ServiceError::TransportClosed))
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let (Some(handle), Ok(runtime)) = (self.0.take(), tokio::runtime::Handle::try_current()) {
            runtime.spawn(handle.cancel(Some("The call was canceled.".to_owned())));
        }
    }
}

/// Resolves once the call's time is over. It does not run while a person is asked.
async fn run_out(timeout: Duration, call: &CallInProgress, client: &Client) {
    loop {
        tokio::time::sleep(timeout).await;
        if call.open_requests.load(Ordering::Relaxed) == 0 && !client.has_unclear_request() {
            return;
        }
    }
}

async fn wait_for_oversized(oversized: &mut Option<watch::Receiver<u64>>) {
    let Some(receiver) = oversized else { return std::future::pending().await };
    if receiver.changed().await.is_err() {
        std::future::pending::<()>().await;
    }
}

fn context_meta(context: &ToolContext) -> RequestMetaObject {
    let mut meta = RequestMetaObject::default();
    meta.0.insert(TOOL_CONTEXT_KEY.to_owned(), serde_json::to_value(context).unwrap_or_default());
    meta
}

fn page(cursor: Option<String>) -> Option<PaginatedRequestParams> {
    cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)))
}

fn lifecycle() -> ClientLifecycleMode {
    ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::LATEST],
        legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
    }
}

fn http_transport(
    server: &str,
    url: &str,
    headers: BTreeMap<String, String>,
) -> Result<StreamableHttpClientTransport<reqwest::Client>, Fault> {
    let invalid = |what: String| super::entry::invalid(server, &what);
    // A redirect would carry the headers to another host.
    let mut client = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT);
    if url::Url::parse(url).is_ok_and(|url| is_loopback(&url)) {
        client = client.no_proxy();
    }
    let client = client.build().map_err(|error| invalid(format!("no HTTP client: {error}")))?;
    let mut custom = HashMap::new();
    for (name, value) in headers {
        let header = HeaderName::try_from(name.as_str())
            .map_err(|_| invalid(format!("the header `{name}` has an invalid name")))?;
        let mut value = HeaderValue::try_from(value.as_str())
            .map_err(|_| invalid(format!("the value of the header `{name}` contains invalid characters")))?;
        value.set_sensitive(true);
        custom.insert(header, value);
    }
    let mut config = StreamableHttpClientTransportConfig::with_uri(url).custom_headers(custom);
    config.max_json_response_size = MAX_MESSAGE_BYTES;
    config.max_sse_event_size = MAX_MESSAGE_BYTES;
    Ok(StreamableHttpClientTransport::with_client(client, config))
}
