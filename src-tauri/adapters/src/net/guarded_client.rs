//! An HTTP client for requests that flows and models ask for. Every address is checked, also behind redirects;
//! responses are limited in size. Proxies of the environment are not used: they would resolve names themselves.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::StreamExt as _;
use parking_lot::RwLock;
use plait_core::error::Fault;
use plait_llm::grant::{CallGrants, GrantTarget, canonical_host, host_target};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, LOCATION};
use reqwest::{Client, Method, Response, StatusCode};
use url::Url;

use super::address_guard::{
    AddressPolicy, Classifier, GuardedResolver, Lookup, RefusedAddress, is_refused, literal_address,
    system_lookup,
};
use super::causes::{causes, innermost_cause, with_causes};
use crate::codes;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a server may stay silent.
const IDLE_TIMEOUT: Duration = Duration::from_mins(1);
/// How many redirects are followed.
const MAX_REDIRECTS: usize = 5;
/// How long a URL in a message may be, in characters.
const MAX_URL_CHARS: usize = 300;

/// Sends requests that flows and models ask for. Cheap to clone; clones share the policy.
#[derive(Clone)]
pub struct GuardedClient(Arc<Guard>);

struct Guard {
    policy: RwLock<Arc<AddressPolicy>>,
    lookup: Lookup,
    is_refused: Classifier,
    /// The first for hosts that are not allowed by name, the second for allowed hosts. Created for the first request.
    clients: [OnceLock<Client>; 2],
}

/// A request to send.
#[derive(Clone, Debug)]
pub(crate) struct GuardedRequest {
    pub(crate) method: Method,
    pub(crate) url: Url,
    /// Sent to the host of `url` only.
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Vec<u8>>,
    /// The largest body of an answer, in bytes.
    pub(crate) max_bytes: usize,
    /// Whether a longer body is cut rather than refused.
    pub(crate) truncate: bool,
}

/// A response of any status.
#[derive(Debug)]
pub(crate) struct GuardedResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    pub(crate) truncated: bool,
    /// Where it came from, after redirects.
    pub(crate) url: Url,
}

impl GuardedResponse {
    /// The media type without parameters, in lower case; empty without one.
    pub(crate) fn media_type(&self) -> String {
        let value = self.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }
}

impl GuardedClient {
    /// A client that reaches public addresses and what `policy` allows.
    pub fn new(policy: AddressPolicy) -> Self {
        Self::with_lookup(policy, system_lookup(), is_refused)
    }

    fn with_lookup(policy: AddressPolicy, lookup: Lookup, is_refused: Classifier) -> Self {
        let policy = RwLock::new(Arc::new(policy));
        Self(Arc::new(Guard { policy, lookup, is_refused, clients: Default::default() }))
    }

    /// Replaces the policy, for requests that start from now on.
    pub fn set_policy(&self, policy: AddressPolicy) {
        *self.0.policy.write() = Arc::new(policy);
    }

    /// Sends a request and reads the whole answer. Follows redirects of GET and HEAD, each to an address that is checked again.
    /// `grants` decide about the host of each. Faults `grant.*`, `tool.address_refused`, `tool.bad_url`, `tool.redirected`, `tool.request_failed`, `tool.too_large`.
    pub(crate) async fn send(
        &self,
        mut request: GuardedRequest,
        grants: &CallGrants,
    ) -> Result<GuardedResponse, Fault> {
        let policy = Arc::clone(&self.0.policy.read());
        for _ in 0..=MAX_REDIRECTS {
            let response = self.send_once(&policy, grants, &request).await?;
            let Some(target) = redirect_target(&response, &request.url)? else {
                return read(response, request).await;
            };
            request = follow(request, target)?;
        }
        let message = format!("{} redirects more than {MAX_REDIRECTS} times.", shorten(&request.url));
        Err(Fault::new(codes::TOOL_REDIRECTED, message))
    }

    async fn send_once(
        &self,
        policy: &AddressPolicy,
        grants: &CallGrants,
        request: &GuardedRequest,
    ) -> Result<Response, Fault> {
        let url = &request.url;
        check_scheme(url)?;
        let host = host_target(url).unwrap_or(GrantTarget::Host(None));
        let write = !matches!(request.method, Method::GET | Method::HEAD);
        grants.check(&host, write)?;
        let is_allowed = policy.allows(url) || grants.opens_local_host(&host, write);
        self.check_literal_address(url, is_allowed)?;
        let client = self.client(is_allowed)?;
        let mut builder =
            client.request(request.method.clone(), url.clone()).headers(request.headers.clone());
        if !request.headers.contains_key(ACCEPT) {
            builder = builder.header(ACCEPT, "*/*");
        }
        if let Some(body) = &request.body {
            builder = builder.body(body.clone());
        }
        match tokio::time::timeout(IDLE_TIMEOUT, builder.send()).await {
            Ok(sent) => sent.map_err(|error| transport(url, &error)),
            Err(_) => Err(failed(url, &format!("did not answer within {} s", IDLE_TIMEOUT.as_secs()))),
        }
    }

    /// Whether a request could be sent, as far as that is seen before its host is looked up. Faults `tool.address_refused`,
    /// `tool.bad_url`.
    pub(crate) fn check(&self, url: &Url) -> Result<(), Fault> {
        check_scheme(url)?;
        self.check_literal_address(url, self.0.policy.read().allows(url))
    }

    fn check_literal_address(&self, url: &Url, is_allowed: bool) -> Result<(), Fault> {
        match literal_address(url).filter(|&address| !is_allowed && (self.0.is_refused)(address)) {
            Some(address) => {
                let host = url.host_str().unwrap_or_default().to_owned();
                Err(refused(&RefusedAddress { host, address }))
            }
            None => Ok(()),
        }
    }

    /// The client for a host. It keeps no connections, since a later request may not be allowed to use them.
    fn client(&self, is_allowed: bool) -> Result<&Client, Fault> {
        let cell = &self.0.clients[usize::from(is_allowed)];
        if let Some(client) = cell.get() {
            return Ok(client);
        }
        let is_refused: Classifier = if is_allowed { |_| false } else { self.0.is_refused };
        let client = Client::builder()
            .user_agent(concat!("plait/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .pool_max_idle_per_host(0)
            .referer(false)
            .no_gzip()
            .no_brotli()
            .no_deflate()
            .no_proxy()
            .dns_resolver(Arc::new(GuardedResolver { lookup: Arc::clone(&self.0.lookup), is_refused }));
        let client = client.build().map_err(|error| {
            let message = format!("The HTTP client could not be created: {}.", innermost_cause(&error));
            Fault::new(codes::TOOL_REQUEST_FAILED, message)
                .hint("Check that the system's CA certificates are installed.")
        })?;
        Ok(cell.get_or_init(|| client))
    }
}

fn check_scheme(url: &Url) -> Result<(), Fault> {
    if matches!(url.scheme(), "http" | "https") && url.host().is_some() {
        return Ok(());
    }
    let message = format!("`{}` is not a URL of a web server.", shorten(url));
    Err(Fault::new(codes::TOOL_BAD_URL, message).hint("Use a full URL that begins with http:// or https://."))
}

/// Where a redirect leads, if the answer is one.
fn redirect_target(response: &Response, url: &Url) -> Result<Option<Url>, Fault> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let Some(location) = response.headers().get(LOCATION) else { return Ok(None) };
    let location = String::from_utf8_lossy(location.as_bytes());
    let target = url.join(&location).map_err(|_| {
        let message = format!("{} redirects to something that is no URL.", shorten(url));
        Fault::new(codes::TOOL_REDIRECTED, message)
    })?;
    Ok(Some(target))
}

/// The next request of a redirect. A secret for one host is not sent to another.
fn follow(mut request: GuardedRequest, target: Url) -> Result<GuardedRequest, Fault> {
    let problem = if !matches!(request.method, Method::GET | Method::HEAD) {
        Some("a request that may change something is not repeated elsewhere")
    } else if request.url.scheme() == "https" && target.scheme() != "https" {
        Some("that connection is not encrypted")
    } else {
        None
    };
    if let Some(problem) = problem {
        let message = format!("{} redirects to {}: {problem}.", shorten(&request.url), shorten(&target));
        return Err(Fault::new(codes::TOOL_REDIRECTED, message).hint("Use the URL that the server names."));
    }
    if request.url.origin() != target.origin() {
        request.headers.clear();
    }
    request.url = target;
    Ok(request)
}

async fn read(response: Response, request: GuardedRequest) -> Result<GuardedResponse, Fault> {
    let (status, headers, url) = (response.status(), response.headers().clone(), request.url);
    let max_bytes = request.max_bytes;
    let (mut body, mut truncated) = (Vec::new(), false);
    let mut chunks = Box::pin(response.bytes_stream());
    loop {
        let chunk = tokio::time::timeout(IDLE_TIMEOUT, chunks.next())
            .await
            .map_err(|_| failed(&url, &format!("sent nothing for {} s", IDLE_TIMEOUT.as_secs())))?;
        let Some(chunk) = chunk else { break };
        let chunk = chunk.map_err(|error| transport(&url, &error))?;
        let room = max_bytes - body.len();
        if chunk.len() <= room {
            body.extend_from_slice(&chunk);
            continue;
        }
        if !request.truncate {
            let message = format!("{} sent more than {} KB.", shorten(&url), max_bytes >> 10);
            return Err(Fault::new(codes::TOOL_TOO_LARGE, message).hint("Request less."));
        }
        body.extend_from_slice(&chunk[..room]);
        truncated = true;
        break;
    }
    Ok(GuardedResponse { status, headers, body, truncated, url })
}

fn refused(refused: &RefusedAddress) -> Fault {
    let RefusedAddress { host, address } = refused;
    let what = if host.trim_matches(['[', ']']) == address.to_string() {
        format!("The address {address} is not public, so it is not requested.")
    } else {
        format!("`{host}` has the address {address}, which is not public, so it is not requested.")
    };
    Fault::new(codes::TOOL_ADDRESS_REFUSED, what)
        .hint(format!("If this server is meant, allow it in the settings or with `--allow host={host}`."))
}

fn failed(url: &Url, what: &str) -> Fault {
    Fault::new(codes::TOOL_REQUEST_FAILED, format!("{} {what}.", shorten(url)))
        .hint("Check the URL and the network, then try again.")
        .retryable()
}

fn transport(url: &Url, error: &reqwest::Error) -> Fault {
    if let Some(address) = causes(error).find_map(|cause| cause.downcast_ref::<RefusedAddress>()) {
        return refused(address);
    }
    with_causes(failed(url, &format!("can't be reached ({})", innermost_cause(error))), error)
}

/// The host of a URL, with the port if it names one.
pub(crate) fn host_of(url: &Url) -> String {
    let host = canonical_host(url.host_str().unwrap_or_default());
    url.port().map_or_else(|| host.clone(), |port| format!("{host}:{port}"))
}

/// A URL for a message: without query, which may hold data, and not too long.
pub(crate) fn shorten(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    url.as_str().chars().take(MAX_URL_CHARS).collect()
}

#[cfg(test)]
mod tests;
