//! Keys in the operating system's keychain: Keychain on macOS, the Credential Manager on Windows, the Secret Service
//! elsewhere. Owns how an entry is called. Machines without any (no desktop, no D-Bus) simply have none.

use std::path::Path;
use std::sync::Arc;

use keyring_core::{CredentialStore, Entry, Error};
use plait_engine::error::{ErrorCode, Fault};
use secrecy::{ExposeSecret as _, SecretString};

/// What entries stand under.
const SERVICE: &str = "Plait";

/// A keychain.
pub(super) struct Keychain {
    store: Arc<CredentialStore>,
    home: String,
}

impl Keychain {
    /// The system's, if there is one that answers. Blocks, for a while if it has to be started.
    pub(super) fn system(home: &Path) -> Option<Self> {
        keyring::Entry::store_status().as_ref().ok()?;
        keyring_core::get_default_store().map(|store| Self::of(store, home))
    }

    /// One of that store, for the data directory `home`: two of them share no keys.
    pub(super) fn of(store: Arc<CredentialStore>, home: &Path) -> Self {
        Self { store, home: home.display().to_string() }
    }

    /// The key of that name. Blocks, also on a person who is asked to unlock the keychain. Faults `keys.locked`,
    /// `keys.keychain_failed`.
    pub(super) fn get(&self, name: &str) -> Result<Option<SecretString>, Fault> {
        match self.entry(name).and_then(|entry| entry.get_password()) {
            Ok(key) => Ok(Some(SecretString::from(key))),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(told(&error, name)),
        }
    }

    /// Keeps a key. Faults as [`get`](Self::get).
    pub(super) fn set(&self, name: &str, key: &SecretString) -> Result<(), Fault> {
        self.entry(name)
            .and_then(|entry| entry.set_password(key.expose_secret()))
            .map_err(|error| told(&error, name))
    }

    /// Forgets a key. Whether there was one. Faults as [`get`](Self::get).
    pub(super) fn remove(&self, name: &str) -> Result<bool, Fault> {
        match self.entry(name).and_then(|entry| entry.delete_credential()) {
            Ok(()) => Ok(true),
            Err(Error::NoEntry) => Ok(false),
            Err(error) => Err(told(&error, name)),
        }
    }

    fn entry(&self, name: &str) -> Result<Entry, Error> {
        self.store.build(SERVICE, &format!("{name} ({})", self.home), None)
    }
}

/// An error in our words. Its own are repeated only where they can't hold a key.
fn told(error: &Error, name: &str) -> Fault {
    match error {
        Error::NoStorageAccess(_) => Fault::new(
            ErrorCode::KeysLocked,
            format!("The keychain is locked, so the key of `{name}` can't be had."),
        )
        .hint("Unlock it and try again. PLAIT_KEYCHAIN=off uses an encrypted file in its place."),
        other => {
            let why = match other {
                Error::PlatformFailure(error) => error.to_string(),
                Error::TooLong(_, limit) => format!("it takes no more than {limit} characters"),
                Error::Ambiguous(_) => "there are several of them".to_owned(),
                Error::BadEncoding(_) | Error::BadDataFormat(..) => "it is no text".to_owned(),
                _ => "it is not as it should be".to_owned(),
            };
            Fault::new(ErrorCode::KeysKeychainFailed, format!("The keychain gave no key of `{name}`: {why}."))
                .hint("Look for `Plait` in the system's keychain. PLAIT_KEYCHAIN=off uses an encrypted file in its place.")
        }
    }
}

#[cfg(test)]
mod tests;
