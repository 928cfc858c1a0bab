//! OpenAI-compatible chat completions, streamed: OpenAI, Ollama, llama.cpp, LM Studio, vLLM and whoever else speaks it.
//!
//! On reqwest and an event-stream decoder directly. The client library for many vendors does not fit this one protocol:
//! it reads meaning into model names, rewrites schemas, and ends a stream that was cut like one that is whole. Here what
//! is sent is exactly [`request`], and what comes back is either a whole reply ([`assembly`]) or a coded fault
//! ([`failure`]). Never retries (the run does, by the node's policy) and follows no redirects (they would carry the key along).

mod assembly;
mod failure;
mod request;
mod stream;
mod wire;

use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use async_trait::async_trait;
use plait_engine::error::Fault;
use plait_engine::provider::{ChunkSink, ModelReply, ModelRequest, Provider};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, RequestBuilder, Response};

use super::ProviderSettings;
use super::address::Address;
use assembly::Assembly;
use failure::Place;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const HEADER_TIMEOUT: Duration = Duration::from_mins(5);
const READ_TIMEOUT: Duration = Duration::from_mins(5);

/// A provider that speaks OpenAI's chat completions.
pub struct OpenAi {
    name: String,
    address: Address,
    client: Client,
    key_env: Option<String>,
    /// Given for the session; marked so that nothing prints it.
    key: RwLock<Option<HeaderValue>>,
    header_timeout: Duration,
    read_timeout: Duration,
}

impl OpenAi {
    /// The provider of that name. Fault `provider.bad_settings`.
    pub(super) fn new(name: &str, settings: &ProviderSettings) -> Result<Self, Fault> {
        let address = Address::new(name, settings.base_url.as_deref())?;
        let milliseconds = |set: Option<u64>, default| set.map_or(default, Duration::from_millis);
        let mut client = Client::builder()
            .user_agent(concat!("plait/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(milliseconds(settings.connect_timeout_ms, CONNECT_TIMEOUT));
        if address.is_loopback() {
            client = client.no_proxy();
        }
        let client = client.build().map_err(|error| {
            Fault::new("provider.bad_settings", format!("The provider `{name}` can't be set up: {error}."))
        })?;
        Ok(Self {
            name: name.to_owned(),
            client,
            key_env: settings.key_env.clone(),
            key: RwLock::default(),
            header_timeout: milliseconds(settings.header_timeout_ms, HEADER_TIMEOUT),
            read_timeout: milliseconds(settings.read_timeout_ms, READ_TIMEOUT),
            address,
        })
    }

    /// Gives it a key for as long as it lives; an empty one takes it back.
    pub(super) fn set_key(&self, key: &str) -> Result<(), Fault> {
        let header =
            if key.is_empty() { None } else { Some(bearer(key).ok_or_else(|| self.bad_key("given"))?) };
        *self.key.write().unwrap_or_else(PoisonError::into_inner) = header;
        Ok(())
    }

    /// The key to send: the session's, else the environment's, else none where none is asked for.
    fn authorization(&self) -> Result<Option<HeaderValue>, Fault> {
        if let Some(key) = self.key.read().unwrap_or_else(PoisonError::into_inner).clone() {
            return Ok(Some(key));
        }
        let Some(variable) = &self.key_env else { return Ok(None) };
        match std::env::var(variable).ok().filter(|key| !key.trim().is_empty()) {
            Some(key) => bearer(key.trim()).map(Some).ok_or_else(|| self.bad_key(&format!("in {variable}"))),
            None => Err(Fault::new(
                "provider.unauthorized",
                format!("The provider `{}` needs a key, and {variable} holds none.", self.name),
            )
            .hint(format!("Set {variable} in the environment, or give the key in the settings."))),
        }
    }

    fn bad_key(&self, which: &str) -> Fault {
        Fault::new(
            "provider.bad_settings",
            format!("The key {which} for the provider `{}` has characters no key has.", self.name),
        )
        .hint("Look for spaces or line ends copied along.")
    }

    fn place(&self, model: Option<&str>) -> Place {
        Place {
            provider: self.name.clone(),
            base_url: self.address.shown().to_owned(),
            model: model.map(str::to_owned),
        }
    }

    /// Sends a request and gives the response if it is a success.
    async fn send(&self, request: RequestBuilder, place: &Place) -> Result<Response, Fault> {
        let request = match self.authorization()? {
            Some(key) => request.header(reqwest::header::AUTHORIZATION, key),
            None => request,
        };
        let response = tokio::time::timeout(self.header_timeout, request.send())
            .await
            .map_err(|_| place.timeout("did not begin to answer", self.header_timeout))?
            .map_err(|error| place.transport(&error))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let (status, headers) = (response.status(), response.headers().clone());
        let body = stream::excerpt(response, self.read_timeout).await;
        Err(place.status(status, &headers, &body))
    }
}

#[async_trait]
impl Provider for OpenAi {
    async fn call(&self, request: ModelRequest, sink: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        let place = self.place(Some(&request.model));
        let body = request::body(&request, self.address.is_openai())?;
        let sent = self
            .client
            .post(self.address.join("chat/completions"))
            .header(ACCEPT, "text/event-stream")
            .header(CONTENT_TYPE, "application/json")
            .body(body.to_string());
        let response = self.send(sent, &place).await?;
        let assembly = Assembly::new(&place);
        match stream::kind(&response) {
            stream::Kind::Events => stream::read_events(response, self.read_timeout, assembly, sink).await,
            // Some servers do not stream however they are asked.
            stream::Kind::Json => stream::read_whole(response, self.read_timeout, assembly, sink).await,
            stream::Kind::Other(content_type) => {
                let body = stream::excerpt(response, self.read_timeout).await;
                Err(place.garbage(&format!("answered with {content_type}"), &body))
            }
        }
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        let place = self.place(None);
        let response = self.send(self.client.get(self.address.join("models")), &place).await?;
        let bytes = stream::read_all(response, self.read_timeout, &place).await?;
        let listed: wire::Models = serde_json::from_slice(&bytes)
            .map_err(|_| place.garbage("sent no list of models", &String::from_utf8_lossy(&bytes)))?;
        let mut names: Vec<String> = listed.data.into_iter().map(|model| model.id).collect();
        names.sort();
        Ok(names)
    }
}

fn bearer(key: &str) -> Option<HeaderValue> {
    let mut header = HeaderValue::from_str(&format!("Bearer {key}")).ok()?;
    header.set_sensitive(true);
    Some(header)
}
