//! Keys that are stored between sessions: in the keychain, or in the encrypted file if there is no keychain. Owns the choice
//! between the two and caches lookups. Blocks, so call it on blocking threads only.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use keyring_core::CredentialStore;
use parking_lot::{Mutex, MutexGuard};
use plait_core::error::Fault;
use secrecy::{ExposeSecret as _, SecretString};

use super::encrypted_file::{EncryptedFile, FileVersion};
use super::keychain::Keychain;
use super::{KeyLocation, KeyOwner, KeySource, ResolvedKey, parse_key};

/// Set to `off` to not use the system's keychain.
const KEYCHAIN_VARIABLE: &str = "PLAIT_KEYCHAIN";
/// Holds the passphrase of the encrypted file.
const PASSPHRASE_VARIABLE: &str = "PLAIT_KEYS_PASSPHRASE";

/// The storage for keys: keychain and encrypted file.
pub(super) struct PersistentKeys {
    keychain: OnceLock<Option<Keychain>>,
    use_keychain: bool,
    home: PathBuf,
    file: EncryptedFile,
    /// Earlier lookups, including those that found nothing.
    cache: Mutex<BTreeMap<KeyOwner, Option<ResolvedKey>>>,
    /// Whether the keychain returned a key before, so that it is unlocked.
    keychain_is_unlocked: AtomicBool,
    /// The version of the encrypted file that was read silently.
    silently_read: Mutex<Option<FileVersion>>,
    access: Mutex<()>,
}

impl PersistentKeys {
    /// As the environment of this process says. Accesses nothing yet.
    pub(super) fn of_process(home: &Path) -> Self {
        let passphrase =
            crate::environment::variable(PASSPHRASE_VARIABLE).filter(|passphrase| !passphrase.is_empty());
        let is_off = crate::environment::variable(KEYCHAIN_VARIABLE).is_some_and(|set| set == "off");
        Self::new(home, passphrase.map(SecretString::from), !is_off)
    }

    /// In the system's keychain if `use_keychain` is set, otherwise in the encrypted file of `home`. Accesses nothing yet.
    pub(super) fn new(home: &Path, passphrase: Option<SecretString>, use_keychain: bool) -> Self {
        Self {
            keychain: OnceLock::new(),
            use_keychain,
            home: home.to_owned(),
            file: EncryptedFile::new(home, passphrase),
            cache: Mutex::default(),
            keychain_is_unlocked: AtomicBool::new(false),
            silently_read: Mutex::default(),
            access: Mutex::default(),
        }
    }

    /// With `keychain` instead of the system's.
    pub(super) fn in_keychain(home: &Path, keychain: Arc<CredentialStore>) -> Self {
        let keys = Self::new(home, None, true);
        let _ = keys.keychain.set(Some(Keychain::new(keychain, home)));
        keys
    }

    /// Where new keys are stored.
    pub(super) fn location(&self) -> KeyLocation {
        let is_keychain = self.keychain().is_some();
        KeyLocation {
            source: Some(if is_keychain { KeySource::Keychain } else { KeySource::File }),
            file: Some(self.file.path().display().to_string()),
            passphrase: !is_keychain && self.file.has_passphrase(),
        }
    }

    /// The result of an earlier lookup, if there was one. Does not block.
    #[expect(clippy::option_option, reason = "an empty result differs from no lookup")]
    pub(super) fn cached(&self, owner: &KeyOwner) -> Option<Option<ResolvedKey>> {
        self.cache.lock().get(owner).cloned()
    }

    /// Held while the storage is read or changed.
    pub(super) fn lock_access(&self) -> MutexGuard<'_, ()> {
        self.access.lock()
    }

    fn keychain(&self) -> Option<&Keychain> {
        let open = || self.use_keychain.then(|| Keychain::system(&self.home)).flatten();
        self.keychain.get_or_init(open).as_ref()
    }

    /// The key in the keychain, or the one in the file: keys stored before there was a keychain are still found.
    pub(super) fn get(&self, owner: &KeyOwner) -> Result<Option<ResolvedKey>, Fault> {
        let name = &owner.storage_name();
        let from_keychain = self.keychain().map_or(Ok(None), |keychain| keychain.get(name))?;
        let resolved = match from_keychain {
            Some(key) => {
                self.keychain_is_unlocked.store(true, Ordering::Relaxed);
                // It may have been edited there.
                let key = parse_key(key.expose_secret().trim(), "in the keychain")?;
                Some(ResolvedKey::new(key, KeySource::Keychain))
            }
            None => self.file.get(name)?.map(|key| ResolvedKey::new(key, KeySource::File)),
        };
        self.cache.lock().insert(owner.clone(), resolved.clone());
        Ok(resolved)
    }

    /// The stored keys that can be read without asking a person, each with its provider. Leaves out those that an earlier call
    /// returned, and those that can't be read.
    pub(super) fn read_silently(&self, owners: &[KeyOwner]) -> Vec<(String, SecretString)> {
        let mut keys = Vec::new();
        let version = self.file.version();
        if version.is_some() && *self.silently_read.lock() != version {
            // A file that can't be read is not tried again before it changes.
            let all = self.file.read_all().unwrap_or_default();
            keys.extend(all.into_iter().map(|(name, key)| (KeyOwner::provider_of(&name).to_owned(), key)));
            *self.silently_read.lock() = version;
        }
        if self.keychain_is_unlocked.load(Ordering::Relaxed) {
            for owner in owners.iter().filter(|owner| self.cached(owner).is_none()) {
                if let Ok(Some(resolved)) = self.get(owner) {
                    keys.push((owner.provider().to_owned(), resolved.key));
                }
            }
        }
        keys
    }

    /// Stores a key, in the keychain if there is one.
    pub(super) fn set(&self, owner: &KeyOwner, key: &SecretString) -> Result<(), Fault> {
        let name = &owner.storage_name();
        let source = match self.keychain() {
            Some(keychain) => {
                keychain.set(name, key)?;
                // An older key in the file is obsolete. If it can't be removed, the keychain's still takes precedence.
                let _ = self.file.remove(name);
                KeySource::Keychain
            }
            None => self.file.set(name, key).map(|()| KeySource::File)?,
        };
        self.cache.lock().insert(owner.clone(), Some(ResolvedKey::new(key.clone(), source)));
        Ok(())
    }

    /// Removes a key from both places. Returns whether there was one.
    pub(super) fn remove(&self, owner: &KeyOwner) -> Result<bool, Fault> {
        let name = &owner.storage_name();
        self.cache.lock().remove(owner);
        let from_keychain = self.keychain().map_or(Ok(false), |keychain| keychain.remove(name));
        let from_file = self.file.remove(name);
        Ok(from_keychain? | from_file?)
    }
}
