//! Detects model servers on this machine: Ollama, LM Studio, llama.cpp, vLLM. Owns how each is recognized.
//!
//! Probes the local addresses in the settings and the addresses that the caller names. No key is sent. A server counts
//! as a model server only if it lists models.

mod ollama_host;

use std::collections::BTreeMap;
use std::time::Duration;

use futures::future::join_all;
use reqwest::{Client, Url};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use super::{ProviderSettings, settings};

const CONNECT_TIMEOUT: Duration = Duration::from_millis(400);
/// Local servers respond immediately; one that is busy loading a model is detected the next time.
const PROBE_TIMEOUT: Duration = Duration::from_millis(1_500);
/// No model list is nearly as long.
const MAX_RESPONSE_BYTES: usize = 1 << 20;

/// A model server that is running.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct DetectedServer {
    /// The detected software: `Ollama`, `LM Studio`, `llama.cpp`, `vLLM`, or `OpenAI-compatible server`.
    pub software: String,
    /// The configured providers that use this server, sorted.
    pub providers: Vec<String>,
    /// An unused name for a new provider.
    pub suggested_name: String,
    pub settings: ProviderSettings,
    /// The models of the server, sorted.
    pub models: Vec<String>,
}

/// The built-in settings of Ollama with the address from `OLLAMA_HOST`, if that is set.
pub(super) fn ollama_from_environment(built_in: &ProviderSettings) -> Option<ProviderSettings> {
    Some(with_origin(built_in, &ollama_host::from_environment()?))
}

/// Where model servers of this machine usually are: the address in `OLLAMA_HOST`, and the default ports.
pub fn usual_addresses() -> Vec<Url> {
    ollama_host::from_environment().into_iter().chain(local_origins(&settings::built_in())).collect()
}

/// Probes the local addresses in the settings `known`, and `addresses`, concurrently and for about a second. Returns the servers
/// sorted by software.
pub async fn detect(
    known: &BTreeMap<String, ProviderSettings>,
    addresses: impl IntoIterator<Item = Url>,
) -> Vec<DetectedServer> {
    let Ok(client) = Client::builder()
        .user_agent(concat!("plait/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(PROBE_TIMEOUT)
        .build()
    else {
        return Vec::new();
    };
    let mut origins: BTreeMap<(String, u16), Url> = BTreeMap::new();
    for url in addresses.into_iter().chain(local_origins(known)) {
        origins.entry(host_and_port(&url)).or_insert(url);
    }
    let client = &client;
    let probes = origins.values().map(|url| async move { Some((url, probe(client, url).await?)) });
    let mut servers: Vec<DetectedServer> = Vec::new();
    for (url, (software, mut models)) in join_all(probes).await.into_iter().flatten() {
        models.sort();
        let is_taken =
            |name: &str| known.contains_key(name) || servers.iter().any(|other| other.suggested_name == name);
        let numbered = (2..).map(|number| format!("{}-{number}", software.name));
        let suggested_name =
            std::iter::once(software.name.to_owned()).chain(numbered).find(|name| !is_taken(name));
        let uses_server = |settings: &ProviderSettings| {
            origin(settings).is_some_and(|other| host_and_port(&other) == host_and_port(url))
        };
        servers.push(DetectedServer {
            software: software.title.to_owned(),
            providers: known
                .iter()
                .filter(|(_, settings)| uses_server(settings))
                .map(|(name, _)| name.clone())
                .collect(),
            suggested_name: suggested_name.unwrap_or_default(),
            settings: with_origin(&settings::built_in()[software.built_in], url),
            models,
        });
    }
    servers.sort_by(|one, other| one.software.cmp(&other.software));
    servers
}

/// The kind of server.
#[derive(Clone, Copy)]
struct Software {
    title: &'static str,
    /// The default name of a provider for it.
    name: &'static str,
    /// The built-in provider with matching settings.
    built_in: &'static str,
}

const OLLAMA: Software = Software { title: "Ollama", name: "ollama", built_in: "ollama" };
const LM_STUDIO: Software = Software { title: "LM Studio", name: "lmstudio", built_in: "lmstudio" };
const LLAMA_CPP: Software = Software { title: "llama.cpp", name: "llamacpp", built_in: "llamacpp" };
const VLLM: Software = Software { title: "vLLM", name: "vllm", built_in: "vllm" };
const OTHER: Software = Software { title: "OpenAI-compatible server", name: "local", built_in: "vllm" };

/// Requests the model list, with Ollama's endpoint and with the OpenAI-compatible one.
async fn probe(client: &Client, origin: &Url) -> Option<(Software, Vec<String>)> {
    let (tags, listed) = futures::join!(get(client, origin, "api/tags"), get(client, origin, "v1/models"));
    let names = |list: &Value, key: &str| -> Option<Vec<String>> {
        list.as_array()?.iter().map(|model| Some(model.get(key)?.as_str()?.to_owned())).collect()
    };
    if let Some(models) = tags.and_then(|tags| names(tags.get("models")?, "name")) {
        return Some((OLLAMA, models));
    }
    let listed = listed?;
    let data = listed.get("data")?;
    let owner = data.get(0).and_then(|model| model.get("owned_by")).and_then(Value::as_str);
    let software = match owner {
        Some("llamacpp") => LLAMA_CPP,
        Some("vllm") => VLLM,
        Some("organization_owner") => LM_STUDIO,
        _ => OTHER,
    };
    Some((software, names(data, "id")?))
}

async fn get(client: &Client, origin: &Url, path: &str) -> Option<Value> {
    let mut response = client.get(origin.join(path).ok()?).send().await.ok()?.error_for_status().ok()?;
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.ok()? {
        if body.len() + chunk.len() > MAX_RESPONSE_BYTES {
            return None;
        }
        body.extend_from_slice(&chunk);
    }
    serde_json::from_slice(&body).ok()
}

fn local_origins(providers: &BTreeMap<String, ProviderSettings>) -> Vec<Url> {
    let all = providers.values().filter_map(origin);
    all.filter(|url| host_and_port(url).0 == LOCALHOST).collect()
}

/// Scheme, host and port of a provider.
fn origin(settings: &ProviderSettings) -> Option<Url> {
    let mut url = Url::parse(settings.base_url.as_deref()?.trim()).ok()?;
    url.set_path("/");
    url.set_query(None);
    url.set_fragment(None);
    // Never send or return a password.
    let _ = url.set_username("").and_then(|()| url.set_password(None));
    url.has_host().then_some(url)
}

const LOCALHOST: &str = "localhost";

/// Identifies a server; all names of this machine are equal.
fn host_and_port(url: &Url) -> (String, u16) {
    let host = url.host_str().unwrap_or_default();
    let is_local = matches!(host, "localhost" | "127.0.0.1" | "[::1]" | "0.0.0.0");
    (if is_local { LOCALHOST } else { host }.to_owned(), url.port_or_known_default().unwrap_or_default())
}

/// The same settings at another origin; the path of the base URL stays.
fn with_origin(settings: &ProviderSettings, origin: &Url) -> ProviderSettings {
    let path = settings.base_url.as_deref().and_then(|url| Url::parse(url).ok());
    let path = path.map(|url| url.path().trim_matches('/').to_owned()).unwrap_or_default();
    let base_url = format!("{origin}{path}").trim_end_matches('/').to_owned();
    ProviderSettings { base_url: Some(base_url), ..settings.clone() }
}
