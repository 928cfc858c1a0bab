//! Tokens that an `OpenID` Connect provider signed: its keys, and what a token says once its signature is checked.

use std::time::Duration;

use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, DecodingKey, Validation, dangerous, decode, decode_header};
use plait_core::error::Fault;
use reqwest::Client;
use reqwest::redirect::Policy;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio::sync::Mutex;
use tokio::time::Instant;
use url::Url;

use crate::codes;
use crate::net::{innermost_cause, is_loopback};

/// Where a provider says what it has, below its address (`OpenID` Connect Discovery 1.0, section 4).
const DISCOVERY_PATH: &str = "/.well-known/openid-configuration";
const TIMEOUT: Duration = Duration::from_secs(10);
/// The most bytes of an answer. Providers with many keys answer with some 20 KB.
const MAX_ANSWER_BYTES: usize = 1024 * 1024;
/// How long keys are used before they are read again.
const KEYS_LIFETIME: Duration = Duration::from_hours(1);
/// How long an unknown key is not asked for again: anyone may send a token that names one.
const UNKNOWN_KEY_DELAY: Duration = Duration::from_secs(10);
/// With a key that both sides have, whoever checks a token could make one.
const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];

/// What a token says.
pub type Claims = Map<String, Value>;

/// A provider of identities.
pub struct OpenIdProvider {
    issuer: String,
    http: Client,
    keys: Mutex<Option<Keys>>,
}

struct Keys {
    all: Vec<Jwk>,
    read_at: Instant,
}

/// For whom a token was made, as it says itself: nothing of it is checked.
#[derive(Debug, PartialEq, Eq)]
pub struct Addressees {
    pub issuer: String,
    pub audiences: Vec<String>,
}

impl Addressees {
    /// Nothing if the text is no such token.
    pub fn of(token: &str) -> Option<Self> {
        let claims = dangerous::insecure_decode::<Claims>(token).ok()?.claims;
        let audiences = texts(claims.get("aud")?).map(str::to_owned).collect();
        Some(Self { issuer: claims.get("iss")?.as_str()?.to_owned(), audiences })
    }
}

/// The texts of a claim that has one or a list of them.
pub fn texts(claim: &Value) -> impl Iterator<Item = &str> {
    let list = claim.as_array().map_or(std::slice::from_ref(claim), Vec::as_slice);
    list.iter().filter_map(Value::as_str)
}

impl OpenIdProvider {
    /// The provider at an address, which is asked for nothing yet. Fault `openid.issuer`.
    pub fn new(issuer: &str) -> Result<Self, Fault> {
        let wrong = |why: &str| {
            Fault::new(
                codes::OPENID_ISSUER,
                format!("`{issuer}` is no address of an identity provider: {why}."),
            )
            .hint("Write it as its tokens do in `iss`, such as https://login.example.com.")
        };
        let url = Url::parse(issuer).map_err(|error| wrong(&error.to_string()))?;
        match url.scheme() {
            "https" => {}
            "http" if is_loopback(&url) => {}
            "http" => return Err(wrong("without encryption, anyone between could answer in its place")),
            _ => return Err(wrong("it does not begin with https://")),
        }
        let mut http = Client::builder().redirect(Policy::none()).timeout(TIMEOUT);
        if is_loopback(&url) {
            http = http.no_proxy();
        }
        let http = http.build().map_err(|error| wrong(&innermost_cause(&error)))?;
        Ok(Self { issuer: issuer.to_owned(), http, keys: Mutex::default() })
    }

    /// What a token says, if the provider made it for this audience and it is in force. Faults `openid.refused`, `openid.unreachable`.
    pub async fn claims(&self, token: &str, audience: &str) -> Result<Claims, Fault> {
        let header = decode_header(token).map_err(|error| refused(&error))?;
        if !ALGORITHMS.contains(&header.alg) {
            return Err(refused(&format!("it is signed with {:?}, which proves nothing here", header.alg)));
        }
        let key = self.key(header.kid.as_deref()).await?;
        let key = DecodingKey::from_jwk(&key).map_err(|error| refused(&error))?;
        let mut validation = Validation::new(header.alg);
        validation.set_audience(&[audience]);
        validation.set_issuer(&[&self.issuer]);
        validation.set_required_spec_claims(&["aud", "exp", "iss", "sub"]);
        validation.validate_nbf = true;
        Ok(decode::<Claims>(token, &key, &validation).map_err(|error| refused(&error))?.claims)
    }

    /// Reads the keys of the provider. Faults `openid.unreachable`, `openid.issuer`.
    pub async fn read_keys(&self) -> Result<(), Fault> {
        *self.keys.lock().await = Some(self.fetch().await?);
        Ok(())
    }

    /// The key with this id, or the only one.
    async fn key(&self, id: Option<&str>) -> Result<Jwk, Fault> {
        let mut keys = self.keys.lock().await;
        let found = keys.as_ref().and_then(|keys| keys.find(id));
        let age = keys.as_ref().map(|keys| keys.read_at.elapsed());
        let is_due = age.is_none_or(|age| match found {
            Some(_) => age >= KEYS_LIFETIME,
            None => age >= UNKNOWN_KEY_DELAY,
        });
        if !is_due {
            return found.cloned().ok_or_else(unknown_key);
        }
        match self.fetch().await {
            Ok(new) => keys.insert(new).find(id).cloned().ok_or_else(unknown_key),
            // A key that the provider named proves the same while it does not answer.
            Err(fault) => found.cloned().ok_or(fault),
        }
    }

    async fn fetch(&self) -> Result<Keys, Fault> {
        #[derive(Deserialize)]
        struct Discovery {
            issuer: String,
            jwks_uri: String,
        }
        #[derive(Deserialize)]
        struct KeySet {
            keys: Vec<Value>,
        }
        let url = format!("{}{DISCOVERY_PATH}", self.issuer.trim_end_matches('/'));
        let discovery: Discovery = self.get(&url).await?;
        if discovery.issuer != self.issuer {
            let message = format!(
                "The identity provider at {url} calls itself {}, not {}.",
                discovery.issuer, self.issuer
            );
            return Err(Fault::new(codes::OPENID_ISSUER, message)
                .hint("Write its address as it does itself, with or without a slash at the end."));
        }
        let set: KeySet = self.get(&discovery.jwks_uri).await?;
        // Those of a kind that is unknown here sign no token that is accepted.
        let all = set.keys.into_iter().filter_map(|key| serde_json::from_value(key).ok()).collect();
        Ok(Keys { all, read_at: Instant::now() })
    }

    async fn get<T: DeserializeOwned>(&self, url: &str) -> Result<T, Fault> {
        let failed = |why: &str| {
            Fault::new(
                codes::OPENID_UNREACHABLE,
                format!("The identity provider {} cannot be asked at {url}: {why}.", self.issuer),
            )
            .hint("Check its address, and whether this machine reaches it.")
        };
        let sent = self.http.get(url).send().await.and_then(reqwest::Response::error_for_status);
        let mut response = sent.map_err(|error| failed(&innermost_cause(&error)))?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| failed(&innermost_cause(&error)))? {
            if body.len() + chunk.len() > MAX_ANSWER_BYTES {
                return Err(failed("its answer is too long"));
            }
            body.extend_from_slice(&chunk);
        }
        serde_json::from_slice(&body).map_err(|error| failed(&error.to_string()))
    }
}

impl Keys {
    fn find(&self, id: Option<&str>) -> Option<&Jwk> {
        match (id, self.all.as_slice()) {
            (Some(id), all) => all.iter().find(|key| key.common.key_id.as_deref() == Some(id)),
            (None, [only]) => Some(only),
            (None, _) => None,
        }
    }
}

fn unknown_key() -> Fault {
    refused(&"it is signed with a key that the provider does not name")
}

fn refused(why: &dyn std::fmt::Display) -> Fault {
    Fault::new(codes::OPENID_REFUSED, format!("The token is refused: {why}."))
}

#[cfg(test)]
mod tests;
