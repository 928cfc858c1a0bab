//! Large values: over 64 KB they stand as plain files, named by content hash, and the database holds a reference.
//! Owns the form of stored values; refuses to know what they mean.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use plait_engine::error::Fault;

use super::fault;
use crate::files;
use crate::hash::content_hash;

/// Values up to this size stand in the database itself.
const INLINE_MAX: usize = 64 << 10;

/// The first byte of a reference. JSON text never begins with it; what does, goes to a file whatever its size.
const REFERENCE: u8 = b'@';

/// Whether a stored value stands in a file.
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

    /// What the database is to hold for `bytes`: themselves, or a reference to a file in the folder `owner` that is on
    /// disk when this returns.
    pub(super) fn store(&self, owner: &str, bytes: Vec<u8>) -> Result<Vec<u8>, Fault> {
        if bytes.len() <= INLINE_MAX && !is_reference(&bytes) {
            return Ok(bytes);
        }
        let hash = content_hash(&bytes);
        let path = self.path(owner, &hash);
        // The length tells a whole file from one that a crash of the machine cut short.
        if fs::metadata(&path).is_ok_and(|found| found.len() == bytes.len() as u64) {
            return Ok(reference(&hash));
        }
        fs::create_dir_all(self.0.join(owner))
            .and_then(|()| files::replace(&path, &bytes))
            .map_err(|error| fault::of_io("keep a large value", &error))?;
        Ok(reference(&hash))
    }

    /// The bytes that a stored value stands for. `Err` says in words what is wrong with them.
    pub(super) fn load(&self, owner: &str, stored: &[u8]) -> Result<Vec<u8>, String> {
        if !is_reference(stored) {
            return Ok(stored.to_vec());
        }
        let hash = referred(stored).ok_or("its reference to a large value is garbled")?;
        let path = self.path(owner, hash);
        let bytes =
            fs::read(&path).map_err(|error| format!("`{}` can't be read: {error}", path.display()))?;
        if content_hash(&bytes) == hash { Ok(bytes) } else { Err(format!("`{}` is damaged", path.display())) }
    }

    /// Removes everything of `owner`.
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
        if let Some(hash) = referred(stored) {
            // A file that stays behind costs room and nothing else.
            let _ = fs::remove_file(self.path(owner, hash));
        }
    }

    fn path(&self, owner: &str, hash: &str) -> PathBuf {
        self.0.join(owner).join(hash)
    }
}

/// The hash a stored value refers to. Only hexadecimal digits pass, so that no reference leads out of the folder.
fn referred(stored: &[u8]) -> Option<&str> {
    let hash = std::str::from_utf8(stored.strip_prefix(&[REFERENCE])?).ok()?;
    (hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(hash)
}

fn reference(hash: &str) -> Vec<u8> {
    let mut value = vec![REFERENCE];
    value.extend_from_slice(hash.as_bytes());
    value
}
