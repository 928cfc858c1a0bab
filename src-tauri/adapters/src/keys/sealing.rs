//! Sealing bytes: XChaCha20-Poly1305 under a random key, or under one derived from a passphrase with Argon2id. Owns the
//! format; knows no files.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `PLAITKEY` |
//! | 1 | version of the format: 1 |
//! | 1 | lock: 0 a key file, 1 a passphrase |
//! | 16 | salt, random |
//! | 24 | nonce, random |
//! | rest | the sealed bytes and their tag of 16; all before them is authenticated with them |

use argon2::Argon2;
use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use secrecy::zeroize::Zeroizing;
use secrecy::{ExposeSecret as _, SecretString};

const MAGIC: &[u8; 8] = b"PLAITKEY";
const VERSION: u8 = 1;
const SALT: std::ops::Range<usize> = 10..26;
const NONCE: std::ops::Range<usize> = 26..50;
/// How long everything before the sealed bytes is.
pub(super) const HEADER: usize = 50;

/// How many bytes a random key has.
pub(super) const KEY_BYTES: usize = 32;

/// What a file is locked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lock {
    KeyFile,
    Passphrase,
}

/// What opens it.
pub(super) enum Master {
    Key(Zeroizing<[u8; KEY_BYTES]>),
    Passphrase(SecretString),
}

/// Why bytes could not be sealed or opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// They are not of this format, or not all there.
    NotSealed,
    /// They are of a newer version of it.
    Newer(u8),
    /// They do not open: another master, or changed since.
    DoesNotOpen,
    /// The system gives no random bytes, or the passphrase can't be one.
    Unavailable,
}

impl Master {
    fn lock(&self) -> Lock {
        match self {
            Self::Key(_) => Lock::KeyFile,
            Self::Passphrase(_) => Lock::Passphrase,
        }
    }

    fn cipher(&self, salt: &[u8]) -> Result<XChaCha20Poly1305, Trouble> {
        let mut key = Zeroizing::new([0; KEY_BYTES]);
        match self {
            Self::Key(bytes) => *key = **bytes,
            Self::Passphrase(words) => Argon2::default()
                .hash_password_into(words.expose_secret().as_bytes(), salt, &mut *key)
                .map_err(|_| Trouble::Unavailable)?,
        }
        Ok(XChaCha20Poly1305::new(&Key::from(*key)))
    }
}

/// What sealed bytes are locked with, without opening them.
pub(super) fn lock_of(sealed: &[u8]) -> Result<Lock, Trouble> {
    let head = sealed.get(..HEADER).ok_or(Trouble::NotSealed)?;
    match (head.starts_with(MAGIC), head[8], head[9]) {
        (true, VERSION, 0) => Ok(Lock::KeyFile),
        (true, VERSION, 1) => Ok(Lock::Passphrase),
        (true, version, _) if version > VERSION => Err(Trouble::Newer(version)),
        _ => Err(Trouble::NotSealed),
    }
}

/// Seals `plain`, with a new salt and a new nonce each time.
pub(super) fn seal(plain: &[u8], master: &Master) -> Result<Vec<u8>, Trouble> {
    let mut sealed = Vec::with_capacity(HEADER + plain.len() + 16);
    sealed.extend_from_slice(MAGIC);
    sealed.extend_from_slice(&[VERSION, u8::from(master.lock() == Lock::Passphrase)]);
    let mut chance = [0; HEADER - SALT.start];
    getrandom::fill(&mut chance).map_err(|_| Trouble::Unavailable)?;
    sealed.extend_from_slice(&chance);
    let body = master
        .cipher(&sealed[SALT])?
        .encrypt(&nonce(&sealed)?, Payload { msg: plain, aad: &sealed })
        .map_err(|_| Trouble::Unavailable)?;
    sealed.extend_from_slice(&body);
    Ok(sealed)
}

/// Opens what [`seal`] made.
pub(super) fn open(sealed: &[u8], master: &Master) -> Result<Zeroizing<Vec<u8>>, Trouble> {
    if lock_of(sealed)? != master.lock() {
        return Err(Trouble::DoesNotOpen);
    }
    let (head, body) = sealed.split_at(HEADER);
    let plain = master
        .cipher(&head[SALT])?
        .decrypt(&nonce(head)?, Payload { msg: body, aad: head })
        .map_err(|_| Trouble::DoesNotOpen)?;
    Ok(Zeroizing::new(plain))
}

fn nonce(head: &[u8]) -> Result<XNonce, Trouble> {
    XNonce::try_from(&head[NONCE]).map_err(|_| Trouble::NotSealed)
}

#[cfg(test)]
mod tests;
