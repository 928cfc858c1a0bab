//! The API keys of model providers and their precedence: the session's, the stored one (in the keychain, or in the encrypted
//! file if there is no keychain), the environment's.
//!
//! Owns every key in this process and never displays one: keys leave this module only as [`SecretString`]s, which print
//! nothing and are wiped when dropped, and through the redaction of other texts.

mod encrypted_file;
mod encryption;
mod environment;
mod keychain;
mod owner;
mod persistent;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use keyring_core::CredentialStore;
use parking_lot::Mutex;
use plait_core::error::Fault;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::codes;
use crate::redaction::Redaction;
pub use environment::{is_variable_name, variable_names};
pub use owner::KeyOwner;
use persistent::PersistentKeys;

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
    /// The provider that it was set for, if that is another one.
    pub owner: Option<String>,
}

impl ResolvedKey {
    fn new(key: SecretString, source: KeySource) -> Self {
        Self { key, source, variable: None, owner: None }
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
    session: Mutex<BTreeMap<KeyOwner, SecretString>>,
    persistent: Option<PersistentKeys>,
    /// Who may have a key, and the environment variables that may hold it.
    owners: Mutex<BTreeMap<KeyOwner, Option<String>>>,
    /// Whether the environment of this process may hold keys.
    reads_environment: bool,
    redaction: Arc<Redaction>,
}

impl KeyStore {
    /// The keys of the data directory `home`: in the system's keychain unless `PLAIT_KEYCHAIN` is `off`, otherwise in a file
    /// there, encrypted with `PLAIT_KEYS_PASSPHRASE` if that is set. Accesses neither before a key is requested. Redacts the
    /// secrets of the environment and of the `.env` files in the working directory as well.
    pub fn open(home: &Path) -> Self {
        Self::new(Some(PersistentKeys::of_process(home)), Redaction::of_process(), true)
    }

    /// The same for a data directory of others than those whom this process belongs to: the environment gives them no key, whatever
    /// variable they name.
    pub fn open_without_environment(home: &Path) -> Self {
        Self::new(Some(PersistentKeys::of_process(home)), Redaction::of_process(), false)
    }

    /// Keys in an encrypted file of `home`, without a keychain.
    pub fn in_file(home: &Path, passphrase: Option<SecretString>) -> Self {
        Self::new(Some(PersistentKeys::new(home, passphrase, false)), Redaction::default(), true)
    }

    /// Keys in `keychain`, with the encrypted file of `home` as a fallback.
    pub fn in_keychain(home: &Path, keychain: Arc<CredentialStore>) -> Self {
        Self::new(Some(PersistentKeys::in_keychain(home, keychain)), Redaction::default(), true)
    }

    /// Keys of the session and the environment only.
    pub fn in_memory() -> Self {
        Self::new(None, Redaction::default(), true)
    }

    fn new(persistent: Option<PersistentKeys>, redaction: Redaction, reads_environment: bool) -> Self {
        let (session, owners) = (Mutex::default(), Mutex::default());
        let redaction = Arc::new(redaction);
        Self(Arc::new(KeyStoreState { session, persistent, owners, reads_environment, redaction }))
    }

    /// The key of a provider. `variables` are its environment variables, separated by commas. From then on the key is
    /// redacted. Faults `keys.*`: the storage can't be read (a session key still works), or a variable holds an invalid
    /// key.
    pub async fn find(
        &self,
        owner: &KeyOwner,
        variables: Option<&str>,
    ) -> Result<Option<ResolvedKey>, Fault> {
        self.find_shared(owner, None, variables).await
    }

    /// Like [`find`](Self::find): a key of `shared` is used while `owner` has none, before those of the environment.
    pub async fn find_shared(
        &self,
        owner: &KeyOwner,
        shared: Option<&KeyOwner>,
        variables: Option<&str>,
    ) -> Result<Option<ResolvedKey>, Fault> {
        let mut resolved = self.find_own(owner).await?;
        if let (None, Some(shared)) = (&resolved, shared) {
            resolved = self.find_own(shared).await?;
            if let Some(resolved) = &mut resolved {
                resolved.owner = Some(shared.provider().to_owned());
            }
        }
        let resolved = match resolved {
            Some(own) => Some(own),
            None => variables.map_or(Ok(None), |variables| self.find_in_environment(variables))?,
        };
        if let Some(resolved) = &resolved {
            self.0.redaction.add_key(owner.provider(), &resolved.key);
        }
        Ok(resolved)
    }

    /// Sets a provider's key, replacing any other. Faults `keys.bad_key`, `keys.nowhere`, and those of the storage.
    pub async fn set(
        &self,
        owner: &KeyOwner,
        key: &SecretString,
        retention: KeyRetention,
    ) -> Result<(), Fault> {
        let key = parse_key(key.expose_secret().trim(), "given")?;
        // Before anything can fail and produce a fault.
        self.0.redaction.add_key(owner.provider(), &key);
        match retention {
            KeyRetention::Session => self.insert_session_key(owner, key),
            KeyRetention::Stored => {
                let key = key.clone();
                self.with_persistent(owner, move |persistent, owner| persistent.set(owner, &key)).await?;
                // The newly stored key must take effect.
                self.0.session.lock().remove(owner);
            }
        }
        Ok(())
    }

    /// Removes a provider's keys from everywhere but the environment. Returns whether there was one. Faults: those of the
    /// storage; the session key is removed in any case.
    pub async fn remove(&self, owner: &KeyOwner) -> Result<bool, Fault> {
        let had_session_key = self.0.session.lock().remove(owner).is_some();
        if self.0.persistent.is_none() {
            return Ok(had_session_key);
        }
        Ok(self.with_persistent(owner, PersistentKeys::remove).await? || had_session_key)
    }

    /// Sets a provider's key for this session. An empty key removes it. Fault `keys.bad_key`.
    pub(crate) fn set_session_key(&self, owner: &KeyOwner, key: &str) -> Result<(), Fault> {
        if key.is_empty() {
            self.0.session.lock().remove(owner);
        } else {
            let key = parse_key(key.trim(), "given")?;
            self.0.redaction.add_key(owner.provider(), &key);
            self.insert_session_key(owner, key);
        }
        Ok(())
    }

    /// Where stored keys are kept.
    pub async fn location(&self) -> KeyLocation {
        let nowhere = KeyLocation { source: None, file: None, passphrase: false };
        if self.0.persistent.is_none() {
            return nowhere;
        }
        let anyone = KeyOwner::new("", None);
        self.with_persistent(&anyone, |persistent, _| Ok(persistent.location())).await.unwrap_or(nowhere)
    }

    /// The redaction of known secrets. Keys that were not read yet are missing; see
    /// [`redaction_with_stored_keys`](Self::redaction_with_stored_keys).
    pub fn redaction(&self) -> &Arc<Redaction> {
        &self.0.redaction
    }

    /// The redaction with all keys that can be read without asking a person: keys of the environment, of the encrypted
    /// file, and of a keychain that was unlocked for an earlier read.
    pub async fn redaction_with_stored_keys(&self) -> Arc<Redaction> {
        let owners = self.0.owners.lock().clone();
        for (owner, variables) in &owners {
            if let Some(Ok(Some(resolved))) =
                variables.as_deref().map(|names| self.find_in_environment(names))
            {
                self.0.redaction.add_key(owner.provider(), &resolved.key);
            }
        }
        if self.0.persistent.is_some() {
            let owners: Vec<KeyOwner> = owners.into_keys().collect();
            let anyone = KeyOwner::new("", None);
            let read =
                self.with_persistent(&anyone, move |persistent, _| Ok(persistent.read_silently(&owners)));
            // What can't be read can't be sent either; using such a key reports why.
            let stored = read.await.unwrap_or_default();
            self.0.redaction.add_keys(stored.iter().map(|(provider, key)| (provider.as_str(), key)));
        }
        Arc::clone(&self.0.redaction)
    }

    /// Registers who may have a key, each with the environment variables that may hold it.
    pub(crate) fn set_owners(&self, owners: BTreeMap<KeyOwner, Option<String>>) {
        *self.0.owners.lock() = owners;
    }

    /// Whether the environment has a key in one of these variables, separated by commas.
    pub fn is_in_environment(&self, variables: &str) -> bool {
        self.0.reads_environment
            && variable_names(variables).any(|name| crate::environment::os_variable(name).is_some())
    }

    /// The key in the first of these variables that is set. Fault `keys.bad_key`.
    fn find_in_environment(&self, variables: &str) -> Result<Option<ResolvedKey>, Fault> {
        if self.0.reads_environment { environment::get(variables) } else { Ok(None) }
    }

    fn insert_session_key(&self, owner: &KeyOwner, key: SecretString) {
        self.0.session.lock().insert(owner.clone(), key);
    }

    /// The key that was set for an owner, in this session or before.
    async fn find_own(&self, owner: &KeyOwner) -> Result<Option<ResolvedKey>, Fault> {
        let session = self.0.session.lock().get(owner).cloned();
        match session {
            Some(key) => Ok(Some(ResolvedKey::new(key, KeySource::Session))),
            None => self.find_persistent(owner).await,
        }
    }

    async fn find_persistent(&self, owner: &KeyOwner) -> Result<Option<ResolvedKey>, Fault> {
        let Some(persistent) = &self.0.persistent else { return Ok(None) };
        if let Some(cached) = persistent.cached(owner) {
            return Ok(cached);
        }
        self.with_persistent(owner, PersistentKeys::get).await
    }

    /// Accesses the stored keys on a blocking thread: a keychain may wait for a person.
    async fn with_persistent<T: Send + 'static>(
        &self,
        owner: &KeyOwner,
        work: impl FnOnce(&PersistentKeys, &KeyOwner) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let (state, owner) = (Arc::clone(&self.0), owner.clone());
        let task = tokio::task::spawn_blocking(move || {
            let persistent = state.persistent.as_ref().ok_or_else(|| {
                Fault::new(codes::KEYS_NOWHERE, "Keys can't be stored here.")
                    .hint("Set the key for this session only.")
            })?;
            let _access = persistent.lock_access();
            work(persistent, &owner)
        });
        task.await.unwrap_or_else(|_| {
            Err(Fault::new(codes::KEYS_KEYCHAIN_FAILED, "The key lookup was aborted.")
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
        return Err(Fault::new(codes::KEYS_BAD_KEY, format!("The key {origin} {what}."))
            .hint("Check it for spaces, quotes or line breaks."));
    }
    Ok(SecretString::from(key))
}

#[cfg(test)]
mod tests;
