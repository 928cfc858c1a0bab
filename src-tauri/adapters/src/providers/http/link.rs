//! The way to one provider: where it is, how it is spoken to, how long one waits. Owns the sending; what comes back as no
//! success is already a fault.

use std::sync::OnceLock;
use std::time::Duration;

use plait_engine::error::{ErrorCode, Fault};
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Client, RequestBuilder, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::failure::innermost;
use super::key::{Key, ToSend};
use super::pieces::{self, Answer};
use super::{Framing, Place};
use crate::keys::KeyStore;
use crate::providers::ProviderSettings;
use crate::providers::address::Address;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const HEADER_TIMEOUT: Duration = Duration::from_mins(5);
const READ_TIMEOUT: Duration = Duration::from_mins(5);

/// A keychain may ask a person for a password, on a screen that nobody looks at.
const KEY_TIMEOUT: Duration = Duration::from_mins(1);

/// A list that is still not at its end after so many pages is not believed.
const MOST_PAGES: usize = 20;

/// What is particular to a protocol before anything is said.
#[derive(Debug)]
pub(crate) struct Manner {
    /// What such a server is called, with its article: "an OpenAI-compatible server".
    pub(crate) server: &'static str,
    /// How its base URL usually looks, as a sentence.
    pub(crate) base_url: &'static str,
    /// The header that carries the key, in lower case.
    pub(crate) key_header: &'static str,
    /// What stands before the key in it.
    pub(crate) key_prefix: &'static str,
    /// Headers that go with every request.
    pub(crate) headers: &'static [(&'static str, &'static str)],
}

/// The way to one provider.
pub(crate) struct Link {
    manner: &'static Manner,
    name: String,
    address: Address,
    /// Made for the first request. Making one reads the system's certificates, which may be missing: that must keep nobody
    /// from what needs none.
    client: OnceLock<Client>,
    connect_timeout: Duration,
    key: Key,
    header_timeout: Duration,
    read_timeout: Duration,
}

impl Link {
    /// The way to the provider of that name. Fault `provider.bad_settings`.
    pub(crate) fn new(
        manner: &'static Manner,
        name: &str,
        settings: &ProviderSettings,
        keys: &KeyStore,
    ) -> Result<Self, Fault> {
        let address = Address::new(name, settings.base_url.as_deref())?;
        let milliseconds = |set: Option<u64>, default| set.map_or(default, Duration::from_millis);
        Ok(Self {
            manner,
            name: name.to_owned(),
            client: OnceLock::new(),
            connect_timeout: milliseconds(settings.connect_timeout_ms, CONNECT_TIMEOUT),
            key: Key::new(name, manner, settings.key_env.as_deref(), keys),
            header_timeout: milliseconds(settings.header_timeout_ms, HEADER_TIMEOUT),
            read_timeout: milliseconds(settings.read_timeout_ms, READ_TIMEOUT),
            address,
        })
    }

    /// Fault `provider.no_client`.
    fn client(&self) -> Result<&Client, Fault> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let mut client = Client::builder()
            .user_agent(concat!("plait/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(self.connect_timeout);
        if self.address.is_loopback() {
            client = client.no_proxy();
        }
        let client = client.build().map_err(|error| {
            let why = innermost(&error);
            Fault::new(ErrorCode::ProviderNoClient, format!("`{}` can't be spoken to from here: {why}.", self.name))
                .hint("See that the system's CA certificates are installed, and that SSL_CERT_FILE, if set, names them.")
        })?;
        Ok(self.client.get_or_init(|| client))
    }

    /// Where it is.
    pub(crate) fn address(&self) -> &Address {
        &self.address
    }

    /// What a fault says about where it was met.
    pub(crate) fn place(&self, model: Option<&str>) -> Place {
        Place {
            manner: self.manner,
            provider: self.name.clone(),
            base_url: self.address.shown().to_owned(),
            model: model.map(str::to_owned),
        }
    }

    /// Posts `body` and gives the answer as soon as it begins. `query` is what stands behind the `?`, or nothing.
    pub(crate) async fn post(
        &self,
        path: &str,
        query: &str,
        framing: Framing,
        body: &(impl Serialize + Sync),
        place: &Place,
    ) -> Result<Answer, Fault> {
        let request = self
            .client()?
            .post(self.address.join(path, query))
            .header(ACCEPT, framing.media_type())
            .header(CONTENT_TYPE, "application/json")
            .body(serde_json::to_vec(body).map_err(|error| place.unwritable(&error))?);
        self.send(request, place).await
    }

    /// The models, sorted; `names` reads them from the list.
    pub(crate) async fn models<T: DeserializeOwned>(
        &self,
        path: &str,
        names: impl Fn(T) -> Vec<String>,
    ) -> Result<Vec<String>, Fault> {
        self.models_in_pages(path, "", "", |list| (names(list), None)).await
    }

    /// The models, sorted, from a list that comes in pages. `first` is the query of the first page; that of a further one
    /// says besides, as `token`, where it goes on. `names` reads a page, and where the next goes on if there is one.
    pub(crate) async fn models_in_pages<T: DeserializeOwned>(
        &self,
        path: &str,
        first: &str,
        token: &str,
        names: impl Fn(T) -> (Vec<String>, Option<String>),
    ) -> Result<Vec<String>, Fault> {
        let place = self.place(None);
        let (mut all, mut query) = (Vec::new(), first.to_owned());
        for _ in 0..MOST_PAGES {
            let (some, next) = names(self.get(path, &query, &place).await?);
            all.extend(some);
            let Some(next) = next else { break };
            let next: String = url::form_urlencoded::byte_serialize(next.as_bytes()).collect();
            query = format!("{first}&{token}={next}");
        }
        all.sort();
        all.dedup();
        Ok(all)
    }

    async fn get<T: DeserializeOwned>(&self, path: &str, query: &str, place: &Place) -> Result<T, Fault> {
        let request = self.client()?.get(self.address.join(path, query)).header(ACCEPT, "application/json");
        let bytes = pieces::all(self.send(request, place).await?, place).await?;
        serde_json::from_slice(&bytes)
            .map_err(|_| place.garbage("sent no list of models", &String::from_utf8_lossy(&bytes)))
    }

    /// Sends a request and gives the answer if it is a success.
    async fn send(&self, mut request: RequestBuilder, place: &Place) -> Result<Answer, Fault> {
        for (name, value) in self.manner.headers {
            request = request.header(*name, *value);
        }
        let mut missing = None;
        let key = tokio::time::timeout(KEY_TIMEOUT, self.key.to_send()).await;
        match key.unwrap_or_else(|_| Err(self.key.out_of_reach()))? {
            ToSend::Header((name, value)) => request = request.header(name, value),
            ToSend::Nothing(why) => missing = why,
        }
        let response = tokio::time::timeout(self.header_timeout, request.send())
            .await
            .map_err(|_| place.timeout("did not begin to answer", self.header_timeout))?
            .map_err(|error| place.transport(&error))?;
        let answer = Answer { response, silence: self.read_timeout };
        if answer.response.status().is_success() {
            return Ok(answer);
        }
        let (status, headers) = (answer.response.status(), answer.response.headers().clone());
        if let (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN, Some(why)) = (status, missing) {
            return Err(why);
        }
        Err(place.status(status, &headers, &pieces::excerpt(answer).await))
    }
}
