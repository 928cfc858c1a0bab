//! Encrypts bytes with XChaCha20-Poly1305, with a random key or one derived from a passphrase with Argon2id. Owns the format;
//! accesses no files.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `PLAITKEY` |
//! | 1 | version of the format: 1 |
//! | 1 | protection: 0 a key file, 1 a passphrase |
//! | 16 | salt, random |
//! | 24 | nonce, random |
//! | rest | the ciphertext with a 16-byte tag; everything before it is authenticated as well |

use argon2::Argon2;
use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use secrecy::zeroize::Zeroizing;
use secrecy::{ExposeSecret as _, SecretString};

const MAGIC: &[u8; 8] = b"PLAITKEY";
const VERSION: u8 = 1;
const SALT: std::ops::Range<usize> = 10..26;
const NONCE: std::ops::Range<usize> = 26..50;
/// The length of everything before the ciphertext.
pub(super) const HEADER_BYTES: usize = 50;

/// The length of a random key.
pub(super) const KEY_BYTES: usize = 32;

/// How a file is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protection {
    KeyFile,
    Passphrase,
}

/// The key material that decrypts it.
pub(super) enum MasterKey {
    Random(Zeroizing<[u8; KEY_BYTES]>),
    Passphrase(SecretString),
}

/// Why bytes could not be encrypted or decrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EncryptionError {
    /// Not in this format, or incomplete.
    InvalidFormat,
    /// In a newer version of the format.
    Newer(u8),
    /// Encrypted with another key, or changed since.
    WrongKey,
    /// The system provides no random bytes, or the passphrase is unusable.
    Unavailable,
}

impl MasterKey {
    fn protection(&self) -> Protection {
        match self {
            Self::Random(_) => Protection::KeyFile,
            Self::Passphrase(_) => Protection::Passphrase,
        }
    }

    fn cipher(&self, salt: &[u8]) -> Result<XChaCha20Poly1305, EncryptionError> {
        let mut key = Zeroizing::new([0; KEY_BYTES]);
        match self {
            Self::Random(bytes) => *key = **bytes,
            Self::Passphrase(passphrase) => Argon2::default()
                .hash_password_into(passphrase.expose_secret().as_bytes(), salt, &mut *key)
                .map_err(|_| EncryptionError::Unavailable)?,
        }
        Ok(XChaCha20Poly1305::new(&Key::from(*key)))
    }
}

/// How encrypted bytes are protected, without decrypting them.
pub(super) fn protection_of(encrypted: &[u8]) -> Result<Protection, EncryptionError> {
    let head = encrypted.get(..HEADER_BYTES).ok_or(EncryptionError::InvalidFormat)?;
    match (head.starts_with(MAGIC), head[8], head[9]) {
        (true, VERSION, 0) => Ok(Protection::KeyFile),
        (true, VERSION, 1) => Ok(Protection::Passphrase),
        (true, version, _) if version > VERSION => Err(EncryptionError::Newer(version)),
        _ => Err(EncryptionError::InvalidFormat),
    }
}

/// Encrypts `plain` with a new salt and a new nonce.
pub(super) fn encrypt(plain: &[u8], master: &MasterKey) -> Result<Vec<u8>, EncryptionError> {
    let mut encrypted = Vec::with_capacity(HEADER_BYTES + plain.len() + 16);
    encrypted.extend_from_slice(MAGIC);
    encrypted.extend_from_slice(&[VERSION, u8::from(master.protection() == Protection::Passphrase)]);
    let mut random = [0; HEADER_BYTES - SALT.start];
    getrandom::fill(&mut random).map_err(|_| EncryptionError::Unavailable)?;
    encrypted.extend_from_slice(&random);
    let body = master
        .cipher(&encrypted[SALT])?
        .encrypt(&nonce(&encrypted)?, Payload { msg: plain, aad: &encrypted })
        .map_err(|_| EncryptionError::Unavailable)?;
    encrypted.extend_from_slice(&body);
    Ok(encrypted)
}

pub(super) fn decrypt(encrypted: &[u8], master: &MasterKey) -> Result<Zeroizing<Vec<u8>>, EncryptionError> {
    if protection_of(encrypted)? != master.protection() {
        return Err(EncryptionError::WrongKey);
    }
    let (head, body) = encrypted.split_at(HEADER_BYTES);
    let plain = master
        .cipher(&head[SALT])?
        .decrypt(&nonce(head)?, Payload { msg: body, aad: head })
        .map_err(|_| EncryptionError::WrongKey)?;
    Ok(Zeroizing::new(plain))
}

fn nonce(head: &[u8]) -> Result<XNonce, EncryptionError> {
    XNonce::try_from(&head[NONCE]).map_err(|_| EncryptionError::InvalidFormat)
}

#[cfg(test)]
mod tests;
