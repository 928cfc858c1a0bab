//! The API keys of model providers and their precedence: the session's, the stored one (in the keychain, or in the encrypted
//! file if there is no keychain), the environment's.
//!
//! Owns every key in this process and never displays one: keys leave this module only as [`SecretString`]s, which print
//! nothing and are wiped when dropped, and through the redaction of other texts.

mod encrypted_file;
mod encryption;
mod environment;
mod keychain;
mod persistent;
mod redaction;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use keyring_core::CredentialStore;
use parking_lot::Mutex;
use plait_engine::error::{ErrorCode, Fault};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

pub use environment::variable_names;
use persistent::PersistentKeys;
pub(crate) use redaction::Redaction;

/// Set to `off` to not use the system's keychain.
const KEYCHAIN_VARIABLE: &str = "PLAIT_KEYCHAIN";
/// Holds the passphrase of the encrypted file.
const PASSPHRASE_VARIABLE: &str = "PLAIT_KEYS_PASSPHRASE";

/// Where a key comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum KeySource {
    /// Set for this session; lost when the process ends.
    Session,
    /// The system's keychain.
    Keychain,
    /// The encrypted file in the data directory.
    File,
    /// An environment variable.
    Environment,
}

/// How long a key is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum KeyRetention {
    /// Stored in the keychain, or in the encrypted file if there is no keychain.
    #[default]
    Stored,
    /// In memory, until the process ends.
    Session,
}

/// A key and its source.
#[derive(Clone, Debug)]
pub struct ResolvedKey {
    pub key: SecretString,
    pub source: KeySource,
    /// The environment variable that held the key.
    pub variable: Option<String>,
}

impl ResolvedKey {
    fn new(key: SecretString, source: KeySource) -> Self {
        Self { key, source, variable: None }
    }

    /// The last four characters, which help people identify the key; None for short keys.
    pub fn ending(&self) -> Option<String> {
        let key = self.key.expose_secret();
        // Keys are ASCII.
        (key.len() >= 16).then(|| key[key.len() - 4..].to_owned())
    }
}

/// Where stored keys are kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct KeyLocation {
    /// `keychain` or `file`; absent if keys can't be stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub source: Option<KeySource>,
    /// The path of the encrypted file, whether it exists or not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub file: Option<String>,
    /// Whether the file is encrypted with a passphrase rather than with a key file.
    pub passphrase: bool,
}

/// The key store. Cheap to clone; clones share their keys.
#[derive(Clone)]
pub struct KeyStore(Arc<KeyStoreState>);

struct KeyStoreState {
    session: Mutex<BTreeMap<String, SecretString>>,
    persistent: Option<PersistentKeys>,
    redaction: Arc<Redaction>,
}

impl KeyStore {
    /// The keys of the data directory `home`: in the system's keychain unless `PLAIT_KEYCHAIN` is `off`, otherwise in a file
    /// there, encrypted with `PLAIT_KEYS_PASSPHRASE` if that is set. Accesses neither before a key is requested.
    pub fn open(home: &Path) -> Self {
        let passphrase = std::env::var(PASSPHRASE_VARIABLE).ok().filter(|passphrase| !passphrase.is_empty());
        let is_off = std::env::var(KEYCHAIN_VARIABLE).is_ok_and(|set| set == "off");
        Self::new(Some(PersistentKeys::new(home, passphrase.map(SecretString::from), !is_off)))
    }

    /// Keys in an encrypted file of `home`, without a keychain.
    pub fn in_file(home: &Path, passphrase: Option<SecretString>) -> Self {
        Self::new(Some(PersistentKeys::new(home, passphrase, false)))
    }

    /// Keys in `keychain`, with the encrypted file of `home` as a fallback.
    pub fn in_keychain(home: &Path, keychain: Arc<CredentialStore>) -> Self {
        Self::new(Some(PersistentKeys::in_keychain(home, keychain)))
    }

    /// Keys of the session and the environment only.
    pub fn in_memory() -> Self {
        Self::new(None)
    }

    fn new(persistent: Option<PersistentKeys>) -> Self {
        Self(Arc::new(KeyStoreState { session: Mutex::default(), persistent, redaction: Arc::default() }))
    }

    /// The key of a provider, whose environment variables are `variables`, separated by commas. From then on the key is
    /// redacted. Faults `keys.*`: the storage can't be read (a session key still works), or a variable holds an invalid key.
    pub async fn find(&self, provider: &str, variables: Option<&str>) -> Result<Option<ResolvedKey>, Fault> {
        let session = self.0.session.lock().get(provider).cloned();
        let resolved = match session {
            Some(key) => Some(ResolvedKey::new(key, KeySource::Session)),
            None => match self.find_persistent(provider).await? {
                Some(stored) => Some(stored),
                None => variables.map_or(Ok(None), environment::get)?,
            },
        };
        if let Some(resolved) = &resolved {
            self.0.redaction.add_key(provider, &resolved.key);
        }
        Ok(resolved)
    }

    /// Sets a provider's key, replacing any other. Faults `keys.bad_key`, `keys.nowhere`, and those of the storage.
    pub async fn set(
        &self,
        provider: &str,
        key: &SecretString,
        retention: KeyRetention,
    ) -> Result<(), Fault> {
        let key = parse_key(key.expose_secret().trim(), "given")?;
        // Before anything can fail and produce a fault.
        self.0.redaction.add_key(provider, &key);
        match retention {
            KeyRetention::Session => self.insert_session_key(provider, key),
            KeyRetention::Stored => {
                let key = key.clone();
                self.with_persistent(provider, move |persistent, name| persistent.set(name, &key)).await?;
                // The newly stored key must take effect.
                self.0.session.lock().remove(provider);
            }
        }
        Ok(())
    }

    /// Removes a provider's keys from everywhere but the environment. Returns whether there was one. Faults: those of the
    /// storage; the session key is removed in any case.
    pub async fn remove(&self, provider: &str) -> Result<bool, Fault> {
        let had_session_key = self.0.session.lock().remove(provider).is_some();
        if self.0.persistent.is_none() {
            return Ok(had_session_key);
        }
        Ok(self.with_persistent(provider, PersistentKeys::remove).await? || had_session_key)
    }

    /// Sets a provider's key for this session. An empty key removes it. Fault `keys.bad_key`.
    pub(crate) fn set_session_key(&self, provider: &str, key: &str) -> Result<(), Fault> {
        if key.is_empty() {
            self.0.session.lock().remove(provider);
        } else {
            let key = parse_key(key.trim(), "given")?;
            self.0.redaction.add_key(provider, &key);
            self.insert_session_key(provider, key);
        }
        Ok(())
    }

    /// Where stored keys are kept.
    pub async fn location(&self) -> KeyLocation {
        let nowhere = KeyLocation { source: None, file: None, passphrase: false };
        if self.0.persistent.is_none() {
            return nowhere;
        }
        self.with_persistent("", |persistent, _| Ok(persistent.location())).await.unwrap_or(nowhere)
    }

    pub(crate) fn redaction(&self) -> &Arc<Redaction> {
        &self.0.redaction
    }

    fn insert_session_key(&self, provider: &str, key: SecretString) {
        self.0.session.lock().insert(provider.to_owned(), key);
    }

    async fn find_persistent(&self, provider: &str) -> Result<Option<ResolvedKey>, Fault> {
        let Some(persistent) = &self.0.persistent else { return Ok(None) };
        if let Some(cached) = persistent.cached(provider) {
            return Ok(cached);
        }
        self.with_persistent(provider, PersistentKeys::get).await
    }

    /// Accesses the stored keys on a blocking thread: a keychain may wait for a person.
    async fn with_persistent<T: Send + 'static>(
        &self,
        provider: &str,
        work: impl FnOnce(&PersistentKeys, &str) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let (state, provider) = (Arc::clone(&self.0), provider.to_owned());
        let task = tokio::task::spawn_blocking(move || {
            let persistent = state.persistent.as_ref().ok_or_else(|| {
                Fault::new(ErrorCode::KeysNowhere, "Keys can't be stored here.")
                    .hint("Set the key for this session only.")
            })?;
            let _access = persistent.lock_access();
            work(persistent, &provider)
        });
        task.await.unwrap_or_else(|_| {
            Err(Fault::new(ErrorCode::KeysKeychainFailed, "The key lookup was aborted.")
                .hint("Set the key for this session, or in the environment."))
        })
    }
}

/// Parses a key: printable ASCII without spaces, because it is sent in a header. `origin` says where the text came from, for
/// the message.
fn parse_key(key: &str, origin: &str) -> Result<SecretString, Fault> {
    let is_key_byte = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\');
    if key.is_empty() || !key.bytes().all(is_key_byte) {
        let what = if key.is_empty() { "is empty" } else { "contains invalid characters" };
        return Err(Fault::new(ErrorCode::KeysBadKey, format!("The key {origin} {what}."))
            .hint("Check it for spaces, quotes or line breaks."));
    }
    Ok(SecretString::from(key))
}

#[cfg(test)]
mod tests;
