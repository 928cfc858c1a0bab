//! Finding model servers that run on this machine: Ollama, LM Studio, llama.cpp, vLLM. Owns what each is known by.
//!
//! They are looked for where the settings have a provider on this machine, at their usual ports, and where `OLLAMA_HOST`
//! says. No key is sent, and what answers is believed to be a model server only if it lists models.

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
/// Who is here answers at once; a server that is busy loading a model is found the next time.
const TIMEOUT: Duration = Duration::from_millis(1_500);
/// No list of models is longer.
const MAX_BYTES: usize = 1 << 20;

/// A model server that is running.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FoundServer {
    /// What it says it is: `Ollama`, `LM Studio`, `llama.cpp`, `vLLM`, or `OpenAI-compatible server`.
    pub software: String,
    /// The providers of the settings that lead to it, sorted.
    pub providers: Vec<String>,
    /// A name for a provider that would, not yet taken.
    pub suggested_name: String,
    /// The settings of such a provider.
    pub settings: ProviderSettings,
    /// The models it has, sorted.
    pub models: Vec<String>,
}

/// The built-in settings of Ollama, at the place that `OLLAMA_HOST` names.
pub(super) fn ollama_by_environment(built_in: &ProviderSettings) -> Option<ProviderSettings> {
    Some(at(built_in, &ollama_host::from_environment()?))
}

/// Looks for servers, all at once, for about a second. Gives them in the order of their names.
pub async fn detect(known: &BTreeMap<String, ProviderSettings>) -> Vec<FoundServer> {
    let Ok(client) = Client::builder()
        .user_agent(concat!("plait/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(TIMEOUT)
        .build()
    else {
        return Vec::new();
    };
    let mut places: BTreeMap<(String, u16), Url> = BTreeMap::new();
    for url in ollama_host::from_environment().into_iter().chain(on_this_machine(known)) {
        places.entry(place(&url)).or_insert(url);
    }
    let client = &client;
    let probes = places.values().map(|url| async move { Some((url, probe(client, url).await?)) });
    let mut found: Vec<FoundServer> = Vec::new();
    for (url, (software, mut models)) in join_all(probes).await.into_iter().flatten() {
        models.sort();
        let taken =
            |name: &str| known.contains_key(name) || found.iter().any(|other| other.suggested_name == name);
        let numbered = (2..).map(|number| format!("{}-{number}", software.name));
        let suggested_name =
            std::iter::once(software.name.to_owned()).chain(numbered).find(|name| !taken(name));
        let leads_here =
            |settings: &ProviderSettings| origin(settings).is_some_and(|other| place(&other) == place(url));
        found.push(FoundServer {
            software: software.title.to_owned(),
            providers: known
                .iter()
                .filter(|(_, set)| leads_here(set))
                .map(|(name, _)| name.clone())
                .collect(),
            suggested_name: suggested_name.unwrap_or_default(),
            settings: at(&settings::built_in()[software.like], url),
            models,
        });
    }
    found.sort_by(|one, other| one.software.cmp(&other.software));
    found
}

/// What a server turned out to be.
#[derive(Clone, Copy)]
struct Software {
    title: &'static str,
    /// What a provider for it is called.
    name: &'static str,
    /// The built-in provider that speaks to it.
    like: &'static str,
}

const OLLAMA: Software = Software { title: "Ollama", name: "ollama", like: "ollama" };
const LM_STUDIO: Software = Software { title: "LM Studio", name: "lmstudio", like: "lmstudio" };
const LLAMA_CPP: Software = Software { title: "llama.cpp", name: "llamacpp", like: "llamacpp" };
const VLLM: Software = Software { title: "vLLM", name: "vllm", like: "vllm" };
const OTHER: Software = Software { title: "OpenAI-compatible server", name: "local", like: "vllm" };

/// Asks whatever is there for its models, in Ollama's way and in everybody else's.
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
    while let Some(piece) = response.chunk().await.ok()? {
        if body.len() + piece.len() > MAX_BYTES {
            return None;
        }
        body.extend_from_slice(&piece);
    }
    serde_json::from_slice(&body).ok()
}

/// Where the settings, or habit, put servers on this machine.
fn on_this_machine(known: &BTreeMap<String, ProviderSettings>) -> Vec<Url> {
    let usual = settings::built_in();
    let all = known.values().chain(usual.values()).filter_map(origin);
    all.filter(|url| place(url).0 == HERE).collect()
}

/// Scheme, host and port of a provider.
fn origin(settings: &ProviderSettings) -> Option<Url> {
    let mut url = Url::parse(settings.base_url.as_deref()?.trim()).ok()?;
    url.set_path("/");
    url.set_query(None);
    url.set_fragment(None);
    // A password is nothing to send around.
    let _ = url.set_username("").and_then(|()| url.set_password(None));
    url.has_host().then_some(url)
}

const HERE: &str = "localhost";

/// What makes two addresses the same place.
fn place(url: &Url) -> (String, u16) {
    let host = url.host_str().unwrap_or_default();
    let here = matches!(host, "localhost" | "127.0.0.1" | "[::1]" | "0.0.0.0");
    (if here { HERE } else { host }.to_owned(), url.port_or_known_default().unwrap_or_default())
}

/// The same settings, at another place: what follows the host stays.
fn at(settings: &ProviderSettings, origin: &Url) -> ProviderSettings {
    let path = settings.base_url.as_deref().and_then(|url| Url::parse(url).ok());
    let path = path.map(|url| url.path().trim_matches('/').to_owned()).unwrap_or_default();
    let base_url = format!("{origin}{path}").trim_end_matches('/').to_owned();
    ProviderSettings { base_url: Some(base_url), ..settings.clone() }
}
