//! Keys in an encrypted file of the data directory, for machines without a keychain. Owns the file and what opens it.
//!
//! With a passphrase in `PLAIT_KEYS_PASSPHRASE` the file (`keys.sealed`) is worth nothing without it. Without one, a
//! random key in `keys.secret` beside it (readable by its owner only) opens it: that keeps keys out of plain sight, out of
//! searches and out of copies of the one file alone; it does not help against who can read everything its owner can.
//!
//! One process owns a data directory, so there is one writer. A file that does not open is never written over.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use plait_engine::error::{ErrorCode, Fault};
use secrecy::zeroize::Zeroizing;
use secrecy::{ExposeSecret as _, SecretString};

use super::sealing::{self, KEY_BYTES, Lock, Master, Trouble};
use crate::files::replace_private;

/// Larger files hold no keys.
const MAX_BYTES: u64 = 16 << 20;

/// The file.
pub(super) struct SealedFile {
    file: PathBuf,
    key_file: PathBuf,
    passphrase: Option<SecretString>,
}

type Keys = BTreeMap<String, SecretString>;

impl SealedFile {
    /// The one in the directory `home`. Touches nothing.
    pub(super) fn new(home: &Path, passphrase: Option<SecretString>) -> Self {
        Self { file: home.join("keys.sealed"), key_file: home.join("keys.secret"), passphrase }
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.file
    }

    /// Whether what is written now is locked with a passphrase.
    pub(super) fn has_passphrase(&self) -> bool {
        self.passphrase.is_some()
    }

    /// The key of that name. Faults `keys.unreadable`, `keys.damaged`, `keys.newer`, `keys.passphrase_missing`,
    /// `keys.wrong_passphrase`, `keys.secret_missing`.
    pub(super) fn get(&self, name: &str) -> Result<Option<SecretString>, Fault> {
        Ok(self.read()?.remove(name))
    }

    /// Keeps a key. Faults as [`get`](Self::get), and `keys.unwritable`; the file stays as it was then.
    pub(super) fn set(&self, name: &str, key: &SecretString) -> Result<(), Fault> {
        let mut keys = self.read()?;
        keys.insert(name.to_owned(), key.clone());
        self.write(&keys)
    }

    /// Forgets a key. Whether there was one. Faults as [`set`](Self::set).
    pub(super) fn remove(&self, name: &str) -> Result<bool, Fault> {
        let mut keys = self.read()?;
        if keys.remove(name).is_none() {
            return Ok(false);
        }
        self.write(&keys).map(|()| true)
    }

    fn read(&self) -> Result<Keys, Fault> {
        let Some(sealed) = bytes(&self.file)? else { return Ok(Keys::new()) };
        let lock = sealing::lock_of(&sealed).map_err(|trouble| self.told(trouble, Lock::KeyFile))?;
        let master = self.master(lock)?;
        let plain = sealing::open(&sealed, &master).map_err(|trouble| self.told(trouble, lock))?;
        serde_json::from_slice(&plain).map_err(|_| self.told(Trouble::NotSealed, lock))
    }

    /// Seals with what is wanted now, whatever the file was sealed with before.
    fn write(&self, keys: &Keys) -> Result<(), Fault> {
        let exposed: BTreeMap<&str, &str> =
            keys.iter().map(|(name, key)| (name.as_str(), key.expose_secret())).collect();
        let size = exposed.iter().map(|(name, key)| 2 * (name.len() + key.len()) + 8).sum::<usize>();
        // Large enough from the start: growing would leave a copy behind.
        let mut plain = Zeroizing::new(Vec::with_capacity(size + 2));
        serde_json::to_writer(&mut *plain, &exposed)
            .map_err(|error| self.unwritable(&self.file, &error.into()))?;
        let lock = if self.has_passphrase() { Lock::Passphrase } else { Lock::KeyFile };
        let master = match lock {
            Lock::Passphrase => self.master(lock)?,
            Lock::KeyFile => self.own_key()?,
        };
        let sealed = sealing::seal(&plain, &master).map_err(|trouble| self.told(trouble, lock))?;
        replace_private(&self.file, &sealed).map_err(|error| self.unwritable(&self.file, &error))?;
        if lock == Lock::Passphrase {
            // It opens nothing any more. Should it stay, nothing is worse than before.
            let _ = fs::remove_file(&self.key_file);
        }
        Ok(())
    }

    /// What opens a file locked like that.
    fn master(&self, lock: Lock) -> Result<Master, Fault> {
        match lock {
            Lock::Passphrase => self.passphrase.clone().map(Master::Passphrase).ok_or_else(|| {
                Fault::new(
                    ErrorCode::KeysPassphraseMissing,
                    format!("`{}` is locked with a passphrase.", self.file.display()),
                )
                .hint("Put it into PLAIT_KEYS_PASSPHRASE and start Plait again.")
            }),
            Lock::KeyFile => self.key()?.map(Master::Key).ok_or_else(|| {
                Fault::new(
                    ErrorCode::KeysSecretMissing,
                    format!(
                        "`{}` can't be opened: `{}` is missing.",
                        self.file.display(),
                        self.key_file.display()
                    ),
                )
                .hint("Put it back from a backup, or move the first file away and set the keys again.")
            }),
        }
    }

    /// The random key, made now if there is none.
    fn own_key(&self) -> Result<Master, Fault> {
        if let Some(key) = self.key()? {
            return Ok(Master::Key(key));
        }
        let mut key = Zeroizing::new([0; KEY_BYTES]);
        getrandom::fill(&mut *key).map_err(|_| self.told(Trouble::Unavailable, Lock::KeyFile))?;
        replace_private(&self.key_file, &*key).map_err(|error| self.unwritable(&self.key_file, &error))?;
        Ok(Master::Key(key))
    }

    fn key(&self) -> Result<Option<Zeroizing<[u8; KEY_BYTES]>>, Fault> {
        let Some(bytes) = bytes(&self.key_file)? else { return Ok(None) };
        make_private(&self.key_file).map_err(|error| self.unwritable(&self.key_file, &error))?;
        let mut key = Zeroizing::new([0; KEY_BYTES]);
        if bytes.len() != KEY_BYTES {
            return Err(Fault::new(
                ErrorCode::KeysDamaged,
                format!("`{}` is not the key it was: it has {} bytes.", self.key_file.display(), bytes.len()),
            )
            .hint("Put it back from a backup, or move it and `keys.sealed` away and set the keys again."));
        }
        key.copy_from_slice(&bytes);
        Ok(Some(key))
    }

    fn told(&self, trouble: Trouble, lock: Lock) -> Fault {
        let file = self.file.display();
        match (trouble, lock) {
            (Trouble::NotSealed, _) => {
                Fault::new(ErrorCode::KeysDamaged, format!("`{file}` is not a whole file of Plait's keys."))
            }
            (Trouble::DoesNotOpen, Lock::KeyFile) => Fault::new(
                ErrorCode::KeysDamaged,
                format!(
                    "`{file}` can't be opened: it was changed, or `{}` is not its own.",
                    self.key_file.display()
                ),
            ),
            (Trouble::DoesNotOpen, Lock::Passphrase) => {
                return Fault::new(
                    ErrorCode::KeysWrongPassphrase,
                    format!("`{file}` can't be opened: the passphrase is wrong, or the file was changed."),
                )
                .hint("Check PLAIT_KEYS_PASSPHRASE, or move the file away and set the keys again.");
            }
            (Trouble::Newer(version), _) => {
                return Fault::new(
                    ErrorCode::KeysNewer,
                    format!("`{file}` is of a newer Plait (version {version} of the format)."),
                )
                .hint("Use that Plait, or give a key for the session.");
            }
            (Trouble::Unavailable, _) => {
                return Fault::new(
                    ErrorCode::KeysUnwritable,
                    format!("`{file}` can't be sealed on this system."),
                )
                .hint("Give the key for the session, or in the environment.");
            }
        }
        .hint("Put it back from a backup, or move it away and set the keys again. Plait leaves it as it is.")
    }

    fn unwritable(&self, path: &Path, error: &io::Error) -> Fault {
        let kept = if path == self.file { " The keys in it are as they were." } else { "" };
        Fault::new(
            ErrorCode::KeysUnwritable,
            format!("`{}` can't be written: {error}.{kept}", path.display()),
        )
        .hint("Check the disk and the permissions, or give the key for the session.")
    }
}

/// All of a file; nothing where there is none.
fn bytes(path: &Path) -> Result<Option<Zeroizing<Vec<u8>>>, Fault> {
    let too_large = |size| {
        Fault::new(
            ErrorCode::KeysDamaged,
            format!("`{}` has {size} bytes: it is no file of keys.", path.display()),
        )
        .hint("Move it away and set the keys again.")
    };
    let read = || -> io::Result<_> {
        let size = fs::metadata(path)?.len();
        if size > MAX_BYTES { Ok(Err(too_large(size))) } else { fs::read(path).map(Ok) }
    };
    match read() {
        Ok(bytes) => bytes.map(|bytes| Some(Zeroizing::new(bytes))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Fault::new(
            ErrorCode::KeysUnreadable,
            format!("`{}` can't be read: {error}.", path.display()),
        )
        .hint("Check its permissions. Until then, give a key for the session.")),
    }
}

/// Takes a file's rights from everybody but its owner.
#[cfg(unix)]
fn make_private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = fs::metadata(path)?.permissions().mode();
    if mode.trailing_zeros() >= 6 {
        // Nothing for the group and nothing for others.
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o700))
}

/// Elsewhere a file has the rights of the folder of its user.
#[cfg(not(unix))]
fn make_private(_path: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests;
