//! Large values: a value over 64 KB is a file named by its content hash, and the database holds a reference. Owns the format
//! of stored values; does not interpret them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use plait_engine::error::Fault;

use super::fault;
use crate::atomic_file;
use crate::hash::content_hash;

/// Values up to this size are stored in the database itself.
const MAX_INLINE_BYTES: usize = 64 << 10;

/// The first byte of a reference. JSON text never begins with it; any other value that does is stored in a file.
const REFERENCE: u8 = b'@';

/// Whether a stored value is a reference to a file.
pub(super) fn is_reference(stored: &[u8]) -> bool {
    stored.first() == Some(&REFERENCE)
}

/// The folder of large values.
#[derive(Clone, Debug)]
pub(super) struct Blobs(PathBuf);

impl Blobs {
    pub(super) fn in_home(home: &Path) -> Self {
        Self(home.join("blobs"))
    }

    /// The value to store for `bytes`: the bytes themselves, or a reference to a file in the folder `owner`, which is on disk
    /// when this returns.
    pub(super) fn store(&self, owner: &str, bytes: Vec<u8>) -> Result<Vec<u8>, Fault> {
        if bytes.len() <= MAX_INLINE_BYTES && !is_reference(&bytes) {
            return Ok(bytes);
        }
        let hash = content_hash(&bytes);
        let path = self.path(owner, &hash);
        // The length distinguishes a complete file from one that a system crash truncated.
        if fs::metadata(&path).is_ok_and(|metadata| metadata.len() == bytes.len() as u64) {
            return Ok(reference(&hash));
        }
        fs::create_dir_all(self.0.join(owner))
            .and_then(|()| atomic_file::replace(&path, &bytes))
            .map_err(|error| fault::of_io("store a large value", &error))?;
        Ok(reference(&hash))
    }

    /// The bytes of a stored value. `Err` describes the damage.
    pub(super) fn load(&self, owner: &str, stored: &[u8]) -> Result<Vec<u8>, String> {
        if !is_reference(stored) {
            return Ok(stored.to_vec());
        }
        let hash = referenced_hash(stored).ok_or("its reference to a large value is invalid")?;
        let path = self.path(owner, hash);
        let bytes =
            fs::read(&path).map_err(|error| format!("`{}` can't be read: {error}", path.display()))?;
        if content_hash(&bytes) == hash { Ok(bytes) } else { Err(format!("`{}` is damaged", path.display())) }
    }

    /// Removes all files of `owner`.
    pub(super) fn remove(&self, owner: &str) -> Result<(), Fault> {
        match fs::remove_dir_all(self.0.join(owner)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(fault::of_io("remove large values", &error))
            }
            _ => Ok(()),
        }
    }

    /// Removes the file a stored value refers to, if it is a reference.
    pub(super) fn remove_one(&self, owner: &str, stored: &[u8]) {
        if let Some(hash) = referenced_hash(stored) {
            // A leftover file only costs space.
            let _ = fs::remove_file(self.path(owner, hash));
        }
    }

    fn path(&self, owner: &str, hash: &str) -> PathBuf {
        self.0.join(owner).join(hash)
    }
}

/// The hash in a reference. Accepts only hexadecimal digits, so that no reference leads out of the folder.
fn referenced_hash(stored: &[u8]) -> Option<&str> {
    let hash = std::str::from_utf8(stored.strip_prefix(&[REFERENCE])?).ok()?;
    (hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(hash)
}

fn reference(hash: &str) -> Vec<u8> {
    let mut value = vec![REFERENCE];
    value.extend_from_slice(hash.as_bytes());
    value
}
