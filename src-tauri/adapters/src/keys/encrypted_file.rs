//! Keys in an encrypted file of the data directory, for machines without a keychain. Owns the file and its key file.
//!
//! With a passphrase in `PLAIT_KEYS_PASSPHRASE` the file (`keys.sealed`) is useless without the passphrase. Otherwise a
//! random key in `keys.secret` next to it (readable by its owner only) decrypts it: that keeps keys out of searches and out
//! of copies of the one file; it does not protect against anyone who can read all files of its owner.
//!
//! One process owns a data directory, so there is one writer. A file that can't be decrypted is never overwritten.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use plait_core::error::Fault;
use secrecy::zeroize::Zeroizing;
use secrecy::{ExposeSecret as _, SecretString};

use super::encryption::{self, EncryptionError, KEY_BYTES, MasterKey, Protection};
use crate::codes;
use plait_store::atomic_file::replace_private;

/// No file of keys is nearly as large.
const MAX_BYTES: u64 = 16 << 20;

pub(super) struct EncryptedFile {
    file: PathBuf,
    key_file: PathBuf,
    passphrase: Option<SecretString>,
}

type Keys = BTreeMap<String, SecretString>;

/// Tells versions of the file apart: when it was written, and its size.
pub(super) type FileVersion = (Option<SystemTime>, u64);

impl EncryptedFile {
    /// The file in the directory `home`. Accesses nothing yet.
    pub(super) fn new(home: &Path, passphrase: Option<SecretString>) -> Self {
        Self { file: home.join("keys.sealed"), key_file: home.join("keys.secret"), passphrase }
    }

    pub(super) fn path(&self) -> &Path {
        &self.file
    }

    /// The version of the file; None if there is none.
    pub(super) fn version(&self) -> Option<FileVersion> {
        let metadata = fs::metadata(&self.file).ok()?;
        Some((metadata.modified().ok(), metadata.len()))
    }

    /// All keys by name. Faults as [`get`](Self::get).
    pub(super) fn read_all(&self) -> Result<Keys, Fault> {
        self.read()
    }

    /// Whether the next write encrypts with a passphrase.
    pub(super) fn has_passphrase(&self) -> bool {
        self.passphrase.is_some()
    }

    /// The key of that name. Faults `keys.unreadable`, `keys.damaged`, `keys.newer`, `keys.passphrase_missing`,
    /// `keys.wrong_passphrase`, `keys.secret_missing`.
    pub(super) fn get(&self, name: &str) -> Result<Option<SecretString>, Fault> {
        Ok(self.read()?.remove(name))
    }

    /// Stores a key. Faults as [`get`](Self::get), and `keys.unwritable`; the file is unchanged then.
    pub(super) fn set(&self, name: &str, key: &SecretString) -> Result<(), Fault> {
        let mut keys = self.read()?;
        keys.insert(name.to_owned(), key.clone());
        self.write(&keys)
    }

    /// Removes a key. Returns whether there was one. Faults as [`set`](Self::set).
    pub(super) fn remove(&self, name: &str) -> Result<bool, Fault> {
        let mut keys = self.read()?;
        if keys.remove(name).is_none() {
            return Ok(false);
        }
        self.write(&keys).map(|()| true)
    }

    fn read(&self) -> Result<Keys, Fault> {
        let Some(encrypted) = read_bytes(&self.file)? else { return Ok(Keys::new()) };
        let protection = encryption::protection_of(&encrypted)
            .map_err(|error| self.to_fault(error, Protection::KeyFile))?;
        let master = self.master_key(protection)?;
        let plain =
            encryption::decrypt(&encrypted, &master).map_err(|error| self.to_fault(error, protection))?;
        serde_json::from_slice(&plain).map_err(|_| self.to_fault(EncryptionError::InvalidFormat, protection))
    }

    /// Encrypts with the current protection, regardless of how the file was protected before.
    fn write(&self, keys: &Keys) -> Result<(), Fault> {
        let exposed: BTreeMap<&str, &str> =
            keys.iter().map(|(name, key)| (name.as_str(), key.expose_secret())).collect();
        let size = exposed.iter().map(|(name, key)| 2 * (name.len() + key.len()) + 8).sum::<usize>();
        // Reserves enough capacity: growing would leave a copy in memory.
        let mut plain = Zeroizing::new(Vec::with_capacity(size + 2));
        serde_json::to_writer(&mut *plain, &exposed)
            .map_err(|error| self.unwritable(&self.file, &error.into()))?;
        // The first key may be stored before anything else is.
        if let Some(folder) = self.file.parent() {
            fs::create_dir_all(folder).map_err(|error| self.unwritable(&self.file, &error))?;
        }
        let protection = if self.has_passphrase() { Protection::Passphrase } else { Protection::KeyFile };
        let master = match protection {
            Protection::Passphrase => self.master_key(protection)?,
            Protection::KeyFile => self.read_or_create_key()?,
        };
        let encrypted =
            encryption::encrypt(&plain, &master).map_err(|error| self.to_fault(error, protection))?;
        replace_private(&self.file, &encrypted).map_err(|error| self.unwritable(&self.file, &error))?;
        if protection == Protection::Passphrase {
            // The key file decrypts nothing anymore. Leaving it behind does no harm.
            let _ = fs::remove_file(&self.key_file);
        }
        Ok(())
    }

    fn master_key(&self, protection: Protection) -> Result<MasterKey, Fault> {
        match protection {
            Protection::Passphrase => self.passphrase.clone().map(MasterKey::Passphrase).ok_or_else(|| {
                Fault::new(
                    codes::KEYS_PASSPHRASE_MISSING,
                    format!("`{}` is encrypted with a passphrase.", self.file.display()),
                )
                .hint("Set PLAIT_KEYS_PASSPHRASE and restart Plait.")
            }),
            Protection::KeyFile => self.read_key()?.map(MasterKey::Random).ok_or_else(|| {
                Fault::new(
                    codes::KEYS_SECRET_MISSING,
                    format!(
                        "`{}` can't be decrypted: `{}` is missing.",
                        self.file.display(),
                        self.key_file.display()
                    ),
                )
                .hint("Restore it from a backup, or move the first file away and set the keys again.")
            }),
        }
    }

    /// The random key, created if there is none.
    fn read_or_create_key(&self) -> Result<MasterKey, Fault> {
        if let Some(key) = self.read_key()? {
            return Ok(MasterKey::Random(key));
        }
        let mut key = Zeroizing::new([0; KEY_BYTES]);
        getrandom::fill(&mut *key)
            .map_err(|_| self.to_fault(EncryptionError::Unavailable, Protection::KeyFile))?;
        replace_private(&self.key_file, &*key).map_err(|error| self.unwritable(&self.key_file, &error))?;
        Ok(MasterKey::Random(key))
    }

    fn read_key(&self) -> Result<Option<Zeroizing<[u8; KEY_BYTES]>>, Fault> {
        let Some(bytes) = read_bytes(&self.key_file)? else { return Ok(None) };
        make_private(&self.key_file).map_err(|error| self.unwritable(&self.key_file, &error))?;
        let mut key = Zeroizing::new([0; KEY_BYTES]);
        if bytes.len() != KEY_BYTES {
            return Err(Fault::new(
                codes::KEYS_DAMAGED,
                format!(
                    "`{}` is damaged: it has {} bytes instead of 32.",
                    self.key_file.display(),
                    bytes.len()
                ),
            )
            .hint("Restore it from a backup, or move it and `keys.sealed` away and set the keys again."));
        }
        key.copy_from_slice(&bytes);
        Ok(Some(key))
    }

    fn to_fault(&self, error: EncryptionError, protection: Protection) -> Fault {
        let file = self.file.display();
        match (error, protection) {
            (EncryptionError::InvalidFormat, _) => {
                Fault::new(codes::KEYS_DAMAGED, format!("`{file}` is not a complete key file of Plait."))
            }
            (EncryptionError::WrongKey, Protection::KeyFile) => Fault::new(
                codes::KEYS_DAMAGED,
                format!(
                    "`{file}` can't be decrypted: it was changed, or `{}` belongs to another file.",
                    self.key_file.display()
                ),
            ),
            (EncryptionError::WrongKey, Protection::Passphrase) => {
                return Fault::new(
                    codes::KEYS_WRONG_PASSPHRASE,
                    format!("`{file}` can't be decrypted: the passphrase is wrong, or the file was changed."),
                )
                .hint("Check PLAIT_KEYS_PASSPHRASE, or move the file away and set the keys again.");
            }
            (EncryptionError::Newer(version), _) => {
                return Fault::new(
                    codes::KEYS_NEWER,
                    format!("`{file}` was written by a newer Plait (format version {version})."),
                )
                .hint("Use that version of Plait, or set a key for this session.");
            }
            (EncryptionError::Unavailable, _) => {
                return Fault::new(
                    codes::KEYS_UNWRITABLE,
                    format!("`{file}` can't be encrypted on this system."),
                )
                .hint("Set the key for this session, or in the environment.");
            }
        }
        .hint(
            "Restore it from a backup, or move it away and set the keys again. Plait does not overwrite it.",
        )
    }

    fn unwritable(&self, path: &Path, error: &io::Error) -> Fault {
        let unchanged = if path == self.file { " The keys in it are unchanged." } else { "" };
        Fault::new(
            codes::KEYS_UNWRITABLE,
            format!("`{}` can't be written: {error}.{unchanged}", path.display()),
        )
        .hint("Check the disk and the permissions, or set the key for this session.")
    }
}

/// The content of a file; None if it does not exist.
fn read_bytes(path: &Path) -> Result<Option<Zeroizing<Vec<u8>>>, Fault> {
    let too_large = |size| {
        Fault::new(
            codes::KEYS_DAMAGED,
            format!("`{}` has {size} bytes: it is not a key file.", path.display()),
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
        Err(error) => {
            Err(Fault::new(codes::KEYS_UNREADABLE, format!("`{}` can't be read: {error}.", path.display()))
                .hint("Check its permissions. Until then, set a key for this session."))
        }
    }
}

/// Restricts a file to its owner.
#[cfg(unix)]
fn make_private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = fs::metadata(path)?.permissions().mode();
    if mode.trailing_zeros() >= 6 {
        // No permissions for the group or others.
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o700))
}

/// On other systems a file inherits the permissions of its user's folder.
#[cfg(not(unix))]
fn make_private(_path: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests;
