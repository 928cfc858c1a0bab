//! The keys that outlive the process: in the keychain, or in the sealed file where there is none. Owns which of the two
//! counts, and remembers what it found. Blocks; who calls it is off the async threads.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use keyring_core::CredentialStore;
use plait_engine::error::Fault;
use secrecy::{ExposeSecret as _, SecretString};

use super::keychain::Keychain;
use super::sealed_file::SealedFile;
use super::{FoundKey, KeyPlace, KeySource, checked, lock};

/// The places that outlive the process.
pub(super) struct Stored {
    keychain: OnceLock<Option<Keychain>>,
    has_keychain: bool,
    home: PathBuf,
    file: SealedFile,
    /// What was found there before; also that nothing was.
    seen: Mutex<BTreeMap<String, Option<FoundKey>>>,
    turn: Mutex<()>,
}

impl Stored {
    /// In the system's keychain, where `has_keychain` allows it, else in the sealed file of `home`. Touches nothing.
    pub(super) fn new(home: &Path, passphrase: Option<SecretString>, has_keychain: bool) -> Self {
        Self {
            keychain: OnceLock::new(),
            has_keychain,
            home: home.to_owned(),
            file: SealedFile::new(home, passphrase),
            seen: Mutex::default(),
            turn: Mutex::default(),
        }
    }

    /// With that keychain in place of the system's.
    pub(super) fn in_keychain(home: &Path, keychain: Arc<CredentialStore>) -> Self {
        let stored = Self::new(home, None, true);
        let _ = stored.keychain.set(Some(Keychain::of(keychain, home)));
        stored
    }

    /// Where what is kept goes.
    pub(super) fn place(&self) -> KeyPlace {
        let is_keychain = self.keychain().is_some();
        KeyPlace {
            source: Some(if is_keychain { KeySource::Keychain } else { KeySource::File }),
            file: Some(self.file.path().display().to_string()),
            passphrase: !is_keychain && self.file.has_passphrase(),
        }
    }

    /// What was found for a provider before, if it was looked for; without waiting for anything.
    #[expect(
        clippy::option_option,
        reason = "that nothing was found differs from nothing having been looked for"
    )]
    pub(super) fn seen(&self, name: &str) -> Option<Option<FoundKey>> {
        lock(&self.seen).get(name).cloned()
    }

    /// Held while the places are looked at or changed.
    pub(super) fn turn(&self) -> MutexGuard<'_, ()> {
        lock(&self.turn)
    }

    fn keychain(&self) -> Option<&Keychain> {
        let open = || self.has_keychain.then(|| Keychain::system(&self.home)).flatten();
        self.keychain.get_or_init(open).as_ref()
    }

    /// The keychain's, else the file's: keys kept while there was no keychain are still found when there is one.
    pub(super) fn get(&self, name: &str) -> Result<Option<FoundKey>, Fault> {
        let from_keychain = self.keychain().map_or(Ok(None), |keychain| keychain.get(name))?;
        let found = match from_keychain {
            Some(key) => {
                // Somebody may have edited it there.
                let key = checked(key.expose_secret().trim(), "in the keychain")?;
                Some(FoundKey::new(key, KeySource::Keychain))
            }
            None => self.file.get(name)?.map(|key| FoundKey::new(key, KeySource::File)),
        };
        lock(&self.seen).insert(name.to_owned(), found.clone());
        Ok(found)
    }

    /// Keeps a key, in the keychain if there is one.
    pub(super) fn set(&self, name: &str, key: &SecretString) -> Result<(), Fault> {
        let source = match self.keychain() {
            Some(keychain) => {
                keychain.set(name, key)?;
                // An older one there would only lie about; one that can't be read hurts nobody behind the keychain's.
                let _ = self.file.remove(name);
                KeySource::Keychain
            }
            None => self.file.set(name, key).map(|()| KeySource::File)?,
        };
        lock(&self.seen).insert(name.to_owned(), Some(FoundKey::new(key.clone(), source)));
        Ok(())
    }

    /// Forgets a key in both places. Whether there was one.
    pub(super) fn remove(&self, name: &str) -> Result<bool, Fault> {
        lock(&self.seen).remove(name);
        let from_keychain = self.keychain().map_or(Ok(false), |keychain| keychain.remove(name));
        let from_file = self.file.remove(name);
        Ok(from_keychain? | from_file?)
    }
}
