//! The forms in which a secret may appear besides its own: base64 and hexadecimal, also of a part of it. Other spellings
//! (case, escapes, invisible characters) need no form of their own, since texts are folded before they are searched.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use super::folded_text::fold;

/// A part of a secret of this many bytes is secret, too: servers shorten messages at either end. Longer than the prefixes
/// that many keys share (`sk-ant-api03-`).
pub(super) const MIN_FRAGMENT_BYTES: usize = 16;

/// One form of a secret.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Disguise {
    pub(super) folded: Vec<u8>,
    /// How many bytes of it in a row are a match.
    pub(super) min_match: usize,
}

/// All forms of a secret. Without `fragments` only the whole secret matches, for secrets with parts that are ordinary
/// text.
pub(super) fn disguises(secret: &str, fragments: bool) -> Vec<Disguise> {
    let mut all: Vec<Disguise> = Vec::new();
    let mut add = |folded: Vec<u8>, fragment: usize| {
        let min_match = if fragments { folded.len().min(fragment) } else { folded.len() };
        if all.iter().all(|known| known.folded != folded) {
            all.push(Disguise { folded, min_match });
        }
    };
    add(fold(secret), MIN_FRAGMENT_BYTES);
    // Encodings hide the case, so each case has its own.
    for spelling in [secret.to_owned(), secret.to_lowercase(), secret.to_uppercase()] {
        for offset in 0..3 {
            add(fold(&base64_at(&spelling, offset)), MIN_FRAGMENT_BYTES * 4 / 3);
        }
        add(hexadecimal(&spelling), MIN_FRAGMENT_BYTES * 2);
    }
    all
}

/// Two digits for each byte.
fn hexadecimal(secret: &str) -> Vec<u8> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    secret.bytes().flat_map(|byte| [byte >> 4, byte & 15]).map(|digit| DIGITS[usize::from(digit)]).collect()
}

/// The characters of base64 that are the same for any text around the secret, where it starts `offset` bytes (0 to 2)
/// behind a group of three.
fn base64_at(secret: &str, offset: usize) -> String {
    let mut bytes = vec![0; offset];
    bytes.extend_from_slice(secret.as_bytes());
    let encoded = STANDARD_NO_PAD.encode(&bytes);
    // Six bits a character.
    encoded[(8 * offset).div_ceil(6)..8 * bytes.len() / 6].to_owned()
}

#[cfg(test)]
mod tests;
