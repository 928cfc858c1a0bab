//! The HTTP client of one provider: base URL, timeouts, API key. Sends requests; a response that is not a success is
//! returned as a fault.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::Duration;

use parking_lot::Mutex;
use plait_core::error::Fault;
use plait_core::id::ReplyKey;
use plait_llm::provider::{HttpRequest, KeyPlaceholder, hash_request};
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::api_key::{ApiKey, KeyHeader};
use super::base_url::BaseUrl;
use super::body_stream::{self, ResponseBody};
use super::{ErrorContext, Framing, ProtocolConfig};
use crate::codes;
use crate::keys::KeyStore;
use crate::net::innermost_cause;
use crate::providers::ProviderSettings;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const HEADER_TIMEOUT: Duration = Duration::from_mins(5);
const IDLE_TIMEOUT: Duration = Duration::from_mins(5);

/// A keychain may ask for a password in a dialog that is hidden.
const KEY_LOOKUP_TIMEOUT: Duration = Duration::from_mins(1);

/// Bounds a model list whose pages never end.
const MAX_MODEL_PAGES: usize = 20;

pub(crate) struct HttpClient {
    config: &'static ProtocolConfig,
    provider: String,
    base_url: BaseUrl,
    /// The query parameters of every request, encoded.
    query: String,
    /// Created for the first request. Creating it reads the system's certificates, which may be missing; that must not
    /// affect providers that need none.
    client: OnceLock<Client>,
    connect_timeout: Duration,
    key: ApiKey,
    header_timeout: Duration,
    idle_timeout: Duration,
    /// The response to the next request, which is not sent then.
    recorded: Mutex<Option<Response>>,
}

impl HttpClient {
    /// Fault `provider.bad_settings`.
    pub(crate) fn new(
        config: &'static ProtocolConfig,
        provider: &str,
        settings: &ProviderSettings,
        keys: &KeyStore,
    ) -> Result<Self, Fault> {
        let timeout = |set: Option<u64>, default| set.map_or(default, Duration::from_millis);
        Ok(Self {
            config,
            provider: provider.to_owned(),
            base_url: BaseUrl::new(provider, settings.base_url.as_deref())?,
            query: encode_query(provider, &settings.query)?,
            client: OnceLock::new(),
            connect_timeout: timeout(settings.connect_timeout_ms, CONNECT_TIMEOUT),
            key: ApiKey::new(provider, config, settings, keys)?,
            header_timeout: timeout(settings.header_timeout_ms, HEADER_TIMEOUT),
            idle_timeout: timeout(settings.read_timeout_ms, IDLE_TIMEOUT),
            recorded: Mutex::default(),
        })
    }

    /// Takes `response` for the next request in place of sending it.
    pub(crate) fn answer_with(&self, response: Response) {
        *self.recorded.lock() = Some(response);
    }

    /// Faults `provider.no_client`, and `provider.proxy` for a proxy that can't be used: without it requests would go out directly.
    fn client(&self) -> Result<&Client, Fault> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        self.error_context(None).check_proxy()?;
        let mut client = Client::builder()
            .user_agent(concat!("plait/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(self.connect_timeout);
        if self.base_url.is_loopback() {
            client = client.no_proxy();
        }
        let client = client.build().map_err(|error| {
            let why = innermost_cause(&error);
            let message = format!("The HTTP client for `{}` could not be created: {why}.", self.provider);
            Fault::new(codes::PROVIDER_NO_CLIENT, message)
                .hint(if cfg!(target_os = "linux") {
                    "Check that the system's CA certificates are installed, and that SSL_CERT_FILE, if set, names them."
                } else {
                    "Check that the certificates of the system's certificate store can be read."
                })
        })?;
        Ok(self.client.get_or_init(|| client))
    }

    /// Whether this provider is OpenAI's own API.
    pub(crate) fn is_openai(&self) -> bool {
        self.base_url.is_openai()
    }

    /// The context for faults of a call.
    pub(crate) fn error_context(&self, model: Option<&str>) -> ErrorContext {
        ErrorContext {
            config: self.config,
            provider: self.provider.clone(),
            base_url: self.base_url.display().to_owned(),
            is_loopback: self.base_url.is_loopback(),
            model: model.map(str::to_owned),
        }
    }

    /// The hash of a request: that of the whole conversation, also if the server has stored a part of it.
    pub(crate) fn hash_request(&self, body: &impl Serialize) -> Result<ReplyKey, Fault> {
        hash_request(&(self.config.protocol, self.base_url.display(), body))
    }

    /// The query of one request with the parameters of every request.
    fn full_query(&self, query: &str) -> String {
        [query, &self.query].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("&")
    }

    /// The request that [`post`](Self::post) sends, without the key.
    pub(crate) fn describe(
        &self,
        path: &str,
        query: &str,
        framing: Framing,
        body: &impl Serialize,
    ) -> Result<HttpRequest, Fault> {
        let body =
            serde_json::to_value(body).map_err(|error| self.error_context(None).unserializable(&error))?;
        let mut headers = vec![
            (ACCEPT.to_string(), framing.media_type().to_owned()),
            (CONTENT_TYPE.to_string(), "application/json".to_owned()),
        ];
        headers.extend(
            self.config.headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
        );
        let key = self.key.variable().map(|variable| KeyPlaceholder {
            header: self.key.header_name().to_owned(),
            prefix: self.key.prefix().to_owned(),
            variable: variable.to_owned(),
        });
        let url = self.base_url.join_for_display(path, &self.full_query(query));
        Ok(HttpRequest { url, headers, key, body })
    }

    /// Posts `body` and returns as soon as the response headers have arrived. An empty `query` adds none.
    pub(crate) async fn post(
        &self,
        path: &str,
        query: &str,
        framing: Framing,
        body: &(impl Serialize + Sync),
        context: &ErrorContext,
    ) -> Result<ResponseBody, Fault> {
        let recorded = self.recorded.lock().take();
        if let Some(response) = recorded {
            return self.accept(response, None, context).await;
        }
        let request = self
            .client()?
            .post(self.base_url.join(path, &self.full_query(query)))
            .header(ACCEPT, framing.media_type())
            .header(CONTENT_TYPE, "application/json")
            .body(serde_json::to_vec(body).map_err(|error| context.unserializable(&error))?);
        self.send(request, context).await
    }

    /// Posts `body` and reads the JSON document of the response. `otherwise` names the problem if the document has
    /// another form.
    pub(crate) async fn post_json<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &(impl Serialize + Sync),
        context: &ErrorContext,
        otherwise: &str,
    ) -> Result<T, Fault> {
        let request = self
            .client()?
            .post(self.base_url.join(path, &self.query))
            .header(ACCEPT, "application/json")
            .header(CONTENT_TYPE, "application/json")
            .body(serde_json::to_vec(body).map_err(|error| context.unserializable(&error))?);
        let bytes = body_stream::read_to_end(self.send(request, context).await?, context).await?;
        serde_json::from_slice(&bytes)
            .map_err(|_| context.invalid_response(otherwise, &String::from_utf8_lossy(&bytes)))
    }

    /// The model names, sorted; `names` extracts them from the list.
    pub(crate) async fn models<T: DeserializeOwned>(
        &self,
        path: &str,
        names: impl Fn(T) -> Vec<String>,
    ) -> Result<Vec<String>, Fault> {
        self.paginated_models(path, "", "", |list| (names(list), None)).await
    }

    /// The model names, sorted, from a paginated list. `query` is that of every page; later pages add the cursor as
    /// `cursor_parameter`. `read_page` returns a page's names and the cursor of the next page, if there is one.
    pub(crate) async fn paginated_models<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &str,
        cursor_parameter: &str,
        read_page: impl Fn(T) -> (Vec<String>, Option<String>),
    ) -> Result<Vec<String>, Fault> {
        let context = self.error_context(None);
        let (mut all, mut page_query) = (Vec::new(), query.to_owned());
        for _ in 0..MAX_MODEL_PAGES {
            let (names, cursor) = read_page(self.get(path, &page_query, &context).await?);
            all.extend(names);
            let Some(cursor) = cursor else { break };
            let cursor: String = url::form_urlencoded::byte_serialize(cursor.as_bytes()).collect();
            page_query = format!("{query}&{cursor_parameter}={cursor}");
        }
        all.sort();
        all.dedup();
        Ok(all)
    }

    async fn get<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &str,
        context: &ErrorContext,
    ) -> Result<T, Fault> {
        let request = self
            .client()?
            .get(self.base_url.join(path, &self.full_query(query)))
            .header(ACCEPT, "application/json");
        let bytes = body_stream::read_to_end(self.send(request, context).await?, context).await?;
        serde_json::from_slice(&bytes)
            .map_err(|_| context.invalid_response("sent no list of models", &String::from_utf8_lossy(&bytes)))
    }

    /// Sends a request. A status other than success is a fault.
    async fn send(&self, mut request: RequestBuilder, context: &ErrorContext) -> Result<ResponseBody, Fault> {
        for (name, value) in self.config.headers {
            request = request.header(*name, *value);
        }
        let mut lookup_fault = None;
        let header = tokio::time::timeout(KEY_LOOKUP_TIMEOUT, self.key.header()).await;
        match header.unwrap_or_else(|_| Err(self.key.keychain_timeout()))? {
            KeyHeader::Present(name, value) => request = request.header(name, value),
            KeyHeader::Absent(fault) => lookup_fault = fault,
        }
        let response = tokio::time::timeout(self.header_timeout, request.send())
            .await
            .map_err(|_| context.timeout("did not start to respond", self.header_timeout))?
            .map_err(|error| context.transport(&error))?;
        self.accept(response, lookup_fault, context).await
    }

    /// A status other than success is a fault; `lookup_fault`, if it says that the key is missing.
    async fn accept(
        &self,
        response: Response,
        lookup_fault: Option<Fault>,
        context: &ErrorContext,
    ) -> Result<ResponseBody, Fault> {
        let body = ResponseBody { response, idle_timeout: self.idle_timeout };
        if body.response.status().is_success() {
            return Ok(body);
        }
        let (status, headers) = (body.response.status(), body.response.headers().clone());
        if let (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN, Some(fault)) = (status, lookup_fault) {
            return Err(fault);
        }
        Err(context.status(status, &headers, &body_stream::excerpt(body).await))
    }
}

/// The query parameters of the settings, encoded. Fault `provider.bad_settings` for one without a name.
fn encode_query(provider: &str, parameters: &BTreeMap<String, String>) -> Result<String, Fault> {
    if parameters.keys().any(|name| name.trim().is_empty()) {
        let message = format!("A query parameter of the provider `{provider}` has no name.");
        return Err(Fault::new(codes::PROVIDER_BAD_SETTINGS, message)
            .hint("Give each one a name and a value, such as api-version and 2024-10-21."));
    }
    Ok(url::form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish())
}
