//! Finds hashes of flows and attachments in texts of records. Refuses to know what the texts mean.

/// The digits of a hash.
const HASH_LENGTH: usize = 64;

/// What could be the hash of a flow or an attachment in a text: any 64 digits in a row.
pub fn hashes_in(text: &[u8]) -> impl Iterator<Item = &str> {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let rows = text.split(move |byte| !is_digit(byte)).filter(|row| row.len() >= HASH_LENGTH);
    let hashes = rows.flat_map(|row| row.windows(HASH_LENGTH));
    hashes.filter_map(|hash| std::str::from_utf8(hash).ok())
}
