//! Requests to one host.

use std::time::Duration;

use futures::stream::BoxStream;
use futures::{Stream, StreamExt as _};
use plait_core::error::Fault;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Client, Method, RequestBuilder, Response};
use secrecy::ExposeSecret as _;
use sse_stream::SseByteStream;
use url::Url;

use super::HostAccess;
use crate::codes;
use crate::net::{innermost_cause, is_loopback};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);

/// A host that is used. Clones share the connections.
pub struct HostClient {
    host: HostAccess,
    http: Client,
}

/// What a host answered.
pub struct HostReply {
    /// Whether it did what was asked. Otherwise the body says why not.
    pub is_success: bool,
    pub body: String,
    /// The run that the request began.
    pub run: Option<String>,
}

/// An event of a stream.
pub struct HostEvent {
    pub name: String,
    pub data: String,
}

impl HostClient {
    /// Fault `hosts.unreachable` if this machine cannot send requests.
    pub fn new(host: HostAccess) -> Result<Self, Fault> {
        // A redirect would carry the token to another host.
        let mut http =
            Client::builder().redirect(reqwest::redirect::Policy::none()).connect_timeout(CONNECT_TIMEOUT);
        if Url::parse(&host.url).is_ok_and(|url| is_loopback(&url)) {
            http = http.no_proxy();
        }
        let http = http.build().map_err(|error| unreachable(&host, &error))?;
        Ok(Self { host, http })
    }

    pub fn name(&self) -> &str {
        &self.host.name
    }

    /// Asks for what is at a path. Fault `hosts.unreachable`.
    pub async fn get(&self, path: &str) -> Result<HostReply, Fault> {
        self.reply(self.request(Method::GET, path)).await
    }

    /// Sends JSON. Fault `hosts.unreachable`.
    pub async fn post(&self, path: &str, body: String) -> Result<HostReply, Fault> {
        self.reply(self.request(Method::POST, path).header(CONTENT_TYPE, "application/json").body(body)).await
    }

    /// The events at a path. Where the host refuses, what it answered. Fault `hosts.unreachable`.
    pub async fn events(
        &self,
        path: &str,
        after: Option<u64>,
    ) -> Result<Result<BoxStream<'static, Result<HostEvent, ()>>, HostReply>, Fault> {
        let mut request = self.request(Method::GET, path).header(ACCEPT, "text/event-stream");
        if let Some(after) = after {
            request = request.header("last-event-id", after);
        }
        let response = request.send().await.map_err(|error| unreachable(&self.host, &error))?;
        if response.status().is_success() {
            return Ok(Ok(events_of(response).boxed()));
        }
        self.read(response).await.map(Err)
    }

    /// Begins a run with a request that answers with its events, which are left alone: they are those of the run. Fault
    /// `hosts.unreachable`.
    pub async fn begin_run(&self, path: &str, body: String) -> Result<HostReply, Fault> {
        let request = self.request(Method::POST, path).header(CONTENT_TYPE, "application/json").body(body);
        let sent = request.header(ACCEPT, "text/event-stream").send().await;
        let response = sent.map_err(|error| unreachable(&self.host, &error))?;
        if response.status().is_success() {
            return Ok(HostReply { is_success: true, body: String::new(), run: run_of(&response) });
        }
        self.read(response).await
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("{}{path}", self.host.url);
        self.http.request(method, url).bearer_auth(self.host.token.expose_secret())
    }

    async fn reply(&self, request: RequestBuilder) -> Result<HostReply, Fault> {
        let response = request.send().await.map_err(|error| unreachable(&self.host, &error))?;
        self.read(response).await
    }

    async fn read(&self, response: Response) -> Result<HostReply, Fault> {
        let (is_success, run) = (response.status().is_success(), run_of(&response));
        let body = response.text().await.map_err(|error| unreachable(&self.host, &error))?;
        Ok(HostReply { is_success, body, run })
    }
}

fn run_of(response: &Response) -> Option<String> {
    Some(response.headers().get("plait-run")?.to_str().ok()?.to_owned())
}

/// The events of a response. An error says that the connection was lost.
fn events_of(response: Response) -> impl Stream<Item = Result<HostEvent, ()>> + Send {
    SseByteStream::new(response.bytes_stream()).filter_map(async |event| match event {
        Ok(event) => Some(Ok(HostEvent { name: event.event.unwrap_or_default(), data: event.data? })),
        Err(_) => Some(Err(())),
    })
}

fn unreachable(host: &HostAccess, error: &reqwest::Error) -> Fault {
    let HostAccess { name, url, .. } = host;
    let why = innermost_cause(error);
    Fault::new(codes::HOSTS_UNREACHABLE, format!("The host `{name}` at {url} cannot be reached: {why}."))
        .hint("Check its address (`plait hosts list`) and whether it runs. What it had begun goes on there.")
}
