//! Keys in the operating system's keychain: Keychain on macOS, the Credential Manager on Windows, the Secret Service
//! elsewhere. Owns the names of its entries. Machines without a keychain (no desktop, no D-Bus) have no [`Keychain`].

use std::path::Path;
use std::sync::Arc;

use keyring_core::{CredentialStore, Entry, Error};
use plait_core::error::Fault;
use secrecy::{ExposeSecret as _, SecretString};

use crate::codes;

/// The service name of all entries.
const SERVICE: &str = "Plait";

pub(super) struct Keychain {
    store: Arc<CredentialStore>,
    home: String,
}

impl Keychain {
    /// The system's keychain, if one responds. Blocks, possibly while the keychain starts.
    pub(super) fn system(home: &Path) -> Option<Self> {
        keyring::Entry::store_status().as_ref().ok()?;
        keyring_core::get_default_store().map(|store| Self::new(store, home))
    }

    /// A keychain in `store` for the data directory `home`. Different directories share no keys.
    pub(super) fn new(store: Arc<CredentialStore>, home: &Path) -> Self {
        Self { store, home: home.display().to_string() }
    }

    /// The key of that name. Blocks, possibly until a person unlocks the keychain. Faults `keys.locked`,
    /// `keys.keychain_failed`.
    pub(super) fn get(&self, name: &str) -> Result<Option<SecretString>, Fault> {
        match self.entry(name).and_then(|entry| entry.get_password()) {
            Ok(key) => Ok(Some(SecretString::from(key))),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(to_fault(&error, name)),
        }
    }

    /// Stores a key. Faults as [`get`](Self::get).
    pub(super) fn set(&self, name: &str, key: &SecretString) -> Result<(), Fault> {
        self.entry(name)
            .and_then(|entry| entry.set_password(key.expose_secret()))
            .map_err(|error| to_fault(&error, name))
    }

    /// Removes a key. Returns whether there was one. Faults as [`get`](Self::get).
    pub(super) fn remove(&self, name: &str) -> Result<bool, Fault> {
        match self.entry(name).and_then(|entry| entry.delete_credential()) {
            Ok(()) => Ok(true),
            Err(Error::NoEntry) => Ok(false),
            Err(error) => Err(to_fault(&error, name)),
        }
    }

    fn entry(&self, name: &str) -> Result<Entry, Error> {
        self.store.build(SERVICE, &format!("{name} ({})", self.home), None)
    }
}

/// Converts an error. Repeats the keychain's own message only where it can't contain a key.
fn to_fault(error: &Error, name: &str) -> Fault {
    match error {
        Error::NoStorageAccess(_) => Fault::new(
            codes::KEYS_LOCKED,
            format!("The keychain is locked, so the key of `{name}` can't be read."),
        )
        .hint("Unlock it and try again, or set PLAIT_KEYCHAIN=off to use an encrypted file instead."),
        other => {
            let why = match other {
                Error::PlatformFailure(error) => error.to_string(),
                Error::TooLong(_, limit) => format!("the limit is {limit} characters"),
                Error::Ambiguous(_) => "there are several entries".to_owned(),
                Error::BadEncoding(_) | Error::BadDataFormat(..) => "the entry is not text".to_owned(),
                _ => "the entry is invalid".to_owned(),
            };
            Fault::new(codes::KEYS_KEYCHAIN_FAILED, format!("The keychain failed for the key of `{name}`: {why}."))
                .hint("Check the entries of `Plait` in the system's keychain, or set PLAIT_KEYCHAIN=off to use an encrypted file instead.")
        }
    }
}

#[cfg(test)]
mod tests;
