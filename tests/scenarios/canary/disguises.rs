//! The disguises in which a secret is planted, and the search for its remains.

#![expect(clippy::format_collect, reason = "short texts")]

use std::collections::HashSet;

/// The shortest part of a secret that counts as found.
const WINDOW: usize = 16;

/// A secret in every disguise, each with its name. Shares no code with the product.
pub fn disguised(secret: &str) -> Vec<(String, String)> {
    let percent: String = secret.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let unicode: String = secret.bytes().map(|byte| format!("\\u{byte:04x}")).collect();
    let mut all = vec![
        ("plain", secret.to_owned()),
        ("upper-cased", secret.to_uppercase()),
        ("lower-cased", secret.to_lowercase()),
        ("zero-width", secret.chars().flat_map(|char| ['\u{200b}', char]).collect()),
        ("one zero-width", format!("{}\u{feff}{}", &secret[..10], &secret[10..])),
        ("percent-encoded", percent),
        ("JSON-escaped", unicode),
        ("hexadecimal", hex(secret.as_bytes())),
        ("without beginning", secret[secret.len() - 20..].to_owned()),
        ("without end", secret[..20].to_owned()),
        ("broken", format!("{}\n{}", &secret[..17], &secret[17..])),
    ];
    for lead in ["", "u", "us"] {
        let encoded = base64(format!("{lead}{secret}").as_bytes());
        let url = encoded.replace('+', "-").replace('/', "_");
        all.push(("base64", encoded.clone()));
        all.push(("base64 without beginning", encoded[7..].to_owned()));
        all.push(("base64 of upper case", base64(format!("{lead}{}", secret.to_uppercase()).as_bytes())));
        all.push(("base64 unpadded", encoded.trim_end_matches('=').to_owned()));
        all.push(("base64 for URLs", url.trim_end_matches('=').to_owned()));
    }
    all.into_iter().map(|(name, text)| (name.to_owned(), text)).collect()
}

/// All parts of the canaries, in the spellings that are searched.
#[derive(Default)]
pub struct CanaryWindows {
    plain: HashSet<Vec<u8>>,
    base64: HashSet<Vec<u8>>,
    hex: HashSet<Vec<u8>>,
}

impl CanaryWindows {
    /// Searches a secret in all disguises.
    pub fn add_secret(&mut self, secret: &str) {
        self.add_plain(secret);
        let spellings = [secret.to_owned(), secret.to_uppercase(), secret.to_lowercase()];
        for spelling in spellings {
            for lead in 0..3 {
                let encoded = base64(&[vec![0; lead], spelling.as_bytes().to_vec()].concat());
                // Without the characters that depend on the neighbors.
                let inner = &encoded.trim_end_matches('=')[3..];
                self.base64.extend(windows(&normalize(&inner[..inner.len() - 2]), WINDOW * 4 / 3));
            }
            self.hex.extend(windows(hex(spelling.as_bytes()).as_bytes(), WINDOW * 2));
        }
    }

    /// Searches a secret as it is.
    pub fn add_plain(&mut self, secret: &str) {
        self.plain.extend(windows(&normalize(secret), WINDOW));
    }

    /// Panics if a part of a canary is in these bytes.
    pub fn assert_absent(&self, bytes: &[u8], place: &str) {
        let text = normalize(&decode_percent(&String::from_utf8_lossy(bytes)));
        for (parts, length) in
            [(&self.plain, WINDOW), (&self.base64, WINDOW * 4 / 3), (&self.hex, WINDOW * 2)]
        {
            if let Some(found) = text.windows(length).position(|window| parts.contains(window)) {
                let around = &text[found.saturating_sub(60)..(found + 90).min(text.len())];
                panic!("a canary is in {place}: {}", String::from_utf8_lossy(around));
            }
        }
    }
}

fn windows(bytes: &[u8], length: usize) -> impl Iterator<Item = Vec<u8>> {
    bytes.windows(length).map(<[u8]>::to_vec)
}

/// The printable ASCII characters of a text, in lower case, with the standard alphabet of base64 and without escapes.
fn normalize(text: &str) -> Vec<u8> {
    let text = text.replace("\\n", "").replace("\\u00", "\\x").replace("\\u200b", "").replace("\\ufeff", "");
    let text = decode_hex_escapes(&text).replace('-', "+").replace('_', "/");
    text.bytes()
        .filter(u8::is_ascii_graphic)
        .filter(|byte| *byte != b'\\')
        .map(|byte| byte.to_ascii_lowercase())
        .collect()
}

fn decode_hex_escapes(text: &str) -> String {
    decode(text, "\\x")
}

fn decode_percent(text: &str) -> String {
    decode(text, "%")
}

/// Replaces two hexadecimal digits behind `lead` by their character.
fn decode(text: &str, lead: &str) -> String {
    let mut parts = text.split(lead);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        if let Some(byte) = part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            out.push(char::from(byte));
            out.push_str(&part[2..]);
        } else {
            out.push_str(lead);
            out.push_str(part);
        }
    }
    out
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let padded = [group[0], *group.get(1).unwrap_or(&0), *group.get(2).unwrap_or(&0)];
        let bits = u32::from_be_bytes([0, padded[0], padded[1], padded[2]]);
        for index in 0..4 {
            let digit = (bits >> (18 - 6 * index)) & 63;
            out.push(if index <= group.len() { char::from(ALPHABET[digit as usize]) } else { '=' });
        }
    }
    out
}

/// The search must find planted secrets.
#[test]
fn search_finds_every_disguise() {
    let secret = "Canary/Of+The=Environment-3q2P1o0N9m8L";
    let mut canaries = CanaryWindows::default();
    canaries.add_secret(secret);
    for (name, text) in disguised(secret) {
        let found =
            std::panic::catch_unwind(|| canaries.assert_absent(format!("x {text} y").as_bytes(), "here"));
        assert!(found.is_err(), "{name}: {text}");
    }
    canaries.assert_absent(b"nothing of the canary", "here");
}
