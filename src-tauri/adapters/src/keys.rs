//! Where the keys of model providers are, and in which order they are looked for: the session's, the stored one (the
//! keychain's, or the sealed file's where there is no keychain), the environment's.
//!
//! Owns every key in this process. Refuses to show one: keys leave here only as [`SecretString`]s, which print nothing
//! and are wiped when they go, and as redactions of what others say.

mod environment;
mod keychain;
mod redaction;
mod sealed_file;
mod sealing;
mod stored;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use keyring_core::CredentialStore;
use plait_engine::error::{ErrorCode, Fault};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

pub use environment::names;
pub(crate) use redaction::Redaction;
use stored::Stored;

/// The variable that says `off` where the system's keychain is not to be used.
const KEYCHAIN_VARIABLE: &str = "PLAIT_KEYCHAIN";
/// The variable that holds the passphrase of the sealed file.
const PASSPHRASE_VARIABLE: &str = "PLAIT_KEYS_PASSPHRASE";

/// Where a key comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum KeySource {
    /// It was given for as long as this process lives.
    Session,
    /// The system's keychain.
    Keychain,
    /// The encrypted file in the data directory.
    File,
    /// An environment variable.
    Environment,
}

/// How long a key is to be kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum Keep {
    /// In the keychain, or in the encrypted file where there is none.
    #[default]
    Stored,
    /// In memory, as long as this process lives.
    Session,
}

/// A key, and where it was.
#[derive(Clone, Debug)]
pub struct FoundKey {
    /// The key.
    pub key: SecretString,
    /// Where it was.
    pub source: KeySource,
    /// The environment variable, if it was in one.
    pub variable: Option<String>,
}

impl FoundKey {
    fn new(key: SecretString, source: KeySource) -> Self {
        Self { key, source, variable: None }
    }

    /// Its last four characters, by which people tell their keys apart; of short keys none.
    pub fn ending(&self) -> Option<String> {
        let key = self.key.expose_secret();
        // Only ASCII is a key.
        (key.len() >= 16).then(|| key[key.len() - 4..].to_owned())
    }
}

/// Where keys that are to be kept go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct KeyPlace {
    /// `keychain` or `file`; neither where nothing can be kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub source: Option<KeySource>,
    /// Where the encrypted file is, or would be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub file: Option<String>,
    /// Whether that file is locked with a passphrase, and not with a key beside it.
    pub passphrase: bool,
}

/// The keys. Cheap to clone; clones share.
#[derive(Clone)]
pub struct KeyStore(Arc<Inner>);

struct Inner {
    session: Mutex<BTreeMap<String, SecretString>>,
    stored: Option<Stored>,
    redaction: Arc<Redaction>,
}

impl KeyStore {
    /// The keys of the data directory `home`: in the system's keychain unless `PLAIT_KEYCHAIN` is `off`, else in a file
    /// there, locked with `PLAIT_KEYS_PASSPHRASE` where that is set. Touches nothing before a key is asked for.
    pub fn open(home: &Path) -> Self {
        let passphrase = std::env::var(PASSPHRASE_VARIABLE).ok().filter(|words| !words.is_empty());
        let is_off = std::env::var(KEYCHAIN_VARIABLE).is_ok_and(|set| set == "off");
        Self::new(Some(Stored::new(home, passphrase.map(SecretString::from), !is_off)))
    }

    /// Keys in an encrypted file of `home`, with that passphrase, and in no keychain.
    pub fn in_file(home: &Path, passphrase: Option<SecretString>) -> Self {
        Self::new(Some(Stored::new(home, passphrase, false)))
    }

    /// Keys in `keychain`, else in an encrypted file of `home`.
    pub fn in_keychain(home: &Path, keychain: Arc<CredentialStore>) -> Self {
        Self::new(Some(Stored::in_keychain(home, keychain)))
    }

    /// Keys of the session and the environment only.
    pub fn in_memory() -> Self {
        Self::new(None)
    }

    fn new(stored: Option<Stored>) -> Self {
        Self(Arc::new(Inner { session: Mutex::default(), stored, redaction: Arc::default() }))
    }

    /// The key of a provider, whose environment variables are `variables`, with commas between them. From then on it is
    /// redacted. Faults `keys.*`: what stores it can't be read (a key for the session helps), or a variable holds what
    /// can't be a key.
    pub async fn find(&self, provider: &str, variables: Option<&str>) -> Result<Option<FoundKey>, Fault> {
        let session = lock(&self.0.session).get(provider).cloned();
        let found = match session {
            Some(key) => Some(FoundKey::new(key, KeySource::Session)),
            None => match self.stored(provider).await? {
                Some(found) => Some(found),
                None => variables.map_or(Ok(None), environment::get)?,
            },
        };
        if let Some(found) = &found {
            self.0.redaction.learn(provider, &found.key);
        }
        Ok(found)
    }

    /// Gives a provider its key, in place of any it had. Faults `keys.bad_key`, `keys.nowhere`, and those of the place.
    pub async fn set(&self, provider: &str, key: &SecretString, keep: Keep) -> Result<(), Fault> {
        let key = checked(key.expose_secret().trim(), "given")?;
        // Before anything can fail and be told.
        self.0.redaction.learn(provider, &key);
        match keep {
            Keep::Session => self.set_for_session(provider, key),
            Keep::Stored => {
                let kept = key.clone();
                self.with_stored(provider, move |stored, name| stored.set(name, &kept)).await?;
                // What was stored last is what counts.
                lock(&self.0.session).remove(provider);
            }
        }
        Ok(())
    }

    /// Forgets the keys of a provider, wherever they are but in the environment. Whether there was one. Faults: those of
    /// the place; the session's is forgotten in any case.
    pub async fn remove(&self, provider: &str) -> Result<bool, Fault> {
        let was_given = lock(&self.0.session).remove(provider).is_some();
        if self.0.stored.is_none() {
            return Ok(was_given);
        }
        Ok(self.with_stored(provider, Stored::remove).await? || was_given)
    }

    /// Gives a provider a key for as long as this process lives. Fault `keys.bad_key`. An empty one takes it back.
    pub(crate) fn give(&self, provider: &str, key: &str) -> Result<(), Fault> {
        if key.is_empty() {
            lock(&self.0.session).remove(provider);
        } else {
            let key = checked(key.trim(), "given")?;
            self.0.redaction.learn(provider, &key);
            self.set_for_session(provider, key);
        }
        Ok(())
    }

    /// Where keys that are to be kept go.
    pub async fn place(&self) -> KeyPlace {
        let nowhere = KeyPlace { source: None, file: None, passphrase: false };
        if self.0.stored.is_none() {
            return nowhere;
        }
        self.with_stored("", |stored, _| Ok(stored.place())).await.unwrap_or(nowhere)
    }

    pub(crate) fn redaction(&self) -> &Arc<Redaction> {
        &self.0.redaction
    }

    fn set_for_session(&self, provider: &str, key: SecretString) {
        lock(&self.0.session).insert(provider.to_owned(), key);
    }

    async fn stored(&self, provider: &str) -> Result<Option<FoundKey>, Fault> {
        let Some(stored) = &self.0.stored else { return Ok(None) };
        if let Some(seen) = stored.seen(provider) {
            return Ok(seen);
        }
        self.with_stored(provider, Stored::get).await
    }

    /// Does something with the stored keys off the async threads: a keychain may wait for a person.
    async fn with_stored<T: Send + 'static>(
        &self,
        provider: &str,
        work: impl FnOnce(&Stored, &str) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let (inner, provider) = (Arc::clone(&self.0), provider.to_owned());
        let done = tokio::task::spawn_blocking(move || {
            let stored = inner.stored.as_ref().ok_or_else(|| {
                Fault::new(ErrorCode::KeysNowhere, "Keys can't be kept here.")
                    .hint("Give it for the session.")
            })?;
            let _turn = stored.turn();
            work(stored, &provider)
        });
        done.await.unwrap_or_else(|_| {
            Err(Fault::new(ErrorCode::KeysKeychainFailed, "Looking for a key ended early.")
                .hint("Give it for the session, or in the environment."))
        })
    }
}

/// A text as a key, if it can be one: all keys are of printable ASCII without spaces, and travel in a header.
fn checked(key: &str, which: &str) -> Result<SecretString, Fault> {
    let is_of_keys = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\');
    if key.is_empty() || !key.bytes().all(is_of_keys) {
        let what = if key.is_empty() { "is empty" } else { "has characters no key has" };
        return Err(Fault::new(ErrorCode::KeysBadKey, format!("The key {which} {what}."))
            .hint("Look for spaces, quotes or line ends copied along."));
    }
    Ok(SecretString::from(key))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
