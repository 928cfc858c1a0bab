//! Large values: a part of an entry above 4 KB is a record of its own, stored once per file by its hash, and the entry
//! holds a reference. Values pass from node to node unchanged, so one of 5 MB through 20 nodes takes 5 MB.
//!
//! It works on JSON text, from the inside out: a string, list or object whose text is above the limit becomes `@` and its
//! hash. `@` begins no JSON value, so a reference can't be mistaken. The same value gives the same text, wherever it stands.
//! Owns that form; does not know where values are stored.

use sha2::{Digest, Sha256};

/// Values up to this size stand in their entry.
pub(crate) const MAX_INLINE_BYTES: usize = 4 << 10;

const REFERENCE: u8 = b'@';

/// The SHA-256 of a value's text, references included.
pub(crate) type ValueHash = [u8; 32];

/// Replaces the large values in the text of one JSON value by references; the outermost value stays. `store` receives each
/// large value, inner ones first, and whether it holds references itself. Returns the text, and whether it does.
pub(crate) fn extract(text: &[u8], mut store: impl FnMut(ValueHash, &[u8], bool)) -> (Vec<u8>, bool) {
    let mut out = Vec::with_capacity(text.len().min(MAX_INLINE_BYTES * 2));
    // Where each open list or object begins in `out`, and how many references stood before it.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut references = 0;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let (start, before) = match byte {
            b'"' => {
                let start = out.len();
                let end = string_end(text, at);
                out.extend_from_slice(&text[at..end]);
                at = end;
                (start, references)
            }
            b'{' | b'[' => {
                open.push((out.len(), references));
                out.push(byte);
                at += 1;
                continue;
            }
            b'}' | b']' => {
                out.push(byte);
                at += 1;
                match open.pop() {
                    Some(begun) => begun,
                    None => continue,
                }
            }
            _ => {
                out.push(byte);
                at += 1;
                continue;
            }
        };
        // The outermost value is the entry.
        if out.len() - start > MAX_INLINE_BYTES && !open.is_empty() {
            let hash: ValueHash = Sha256::digest(&out[start..]).into();
            store(hash, &out[start..], references > before);
            out.truncate(start);
            push_reference(&mut out, &hash);
            references += 1;
        }
    }
    (out, references > 0)
}

/// Puts the values back. `load` gives the text of a value, and whether it holds references. Its error ends the expansion.
pub(crate) fn expand<E>(
    text: &[u8],
    load: &mut impl FnMut(&ValueHash) -> Result<(Vec<u8>, bool), E>,
) -> Result<Vec<u8>, E> {
    let mut out = Vec::with_capacity(text.len());
    // Texts that are being read, the outermost first, and how far. A value lies deeper than what refers to it.
    let mut open: Vec<(Vec<u8>, usize)> = vec![(text.to_vec(), 0)];
    while let Some((text, at)) = open.last_mut() {
        let Some(&byte) = text.get(*at) else {
            open.pop();
            continue;
        };
        match byte {
            b'"' => {
                let end = string_end(text, *at);
                out.extend_from_slice(&text[*at..end]);
                *at = end;
            }
            REFERENCE => {
                let hash = referenced_hash(&text[*at + 1..]);
                *at = (*at + 65).min(text.len());
                let Some(hash) = hash else { continue };
                let (value, has_references) = load(&hash)?;
                if has_references {
                    open.push((value, 0));
                } else {
                    out.extend_from_slice(&value);
                }
            }
            byte => {
                out.push(byte);
                *at += 1;
            }
        }
    }
    Ok(out)
}

/// The end of the string that begins at `at`.
fn string_end(text: &[u8], at: usize) -> usize {
    let mut next = at + 1;
    while let Some(found) =
        text[next.min(text.len())..].iter().position(|&byte| byte == b'"' || byte == b'\\')
    {
        next += found;
        if text[next] == b'"' {
            return next + 1;
        }
        next += 2;
    }
    text.len()
}

fn push_reference(out: &mut Vec<u8>, hash: &ValueHash) {
    out.push(REFERENCE);
    for byte in hash {
        out.extend_from_slice(&[hex_digit(byte >> 4), hex_digit(byte & 15)]);
    }
}

fn hex_digit(value: u8) -> u8 {
    if value < 10 { b'0' + value } else { b'a' + value - 10 }
}

fn referenced_hash(text: &[u8]) -> Option<ValueHash> {
    let digits = text.get(..64)?;
    let mut hash = [0; 32];
    for (byte, pair) in hash.iter_mut().zip(digits.chunks_exact(2)) {
        let digit = |at: usize| char::from(pair[at]).to_digit(16);
        *byte = u8::try_from(digit(0)? << 4 | digit(1)?).ok()?;
    }
    Some(hash)
}

#[cfg(test)]
mod tests;
