//! Joins characters whose halves a server sent in two events. JSON in ASCII writes a character outside of the basic plane as two
//! escapes, `\ud83d\ude00`; a server that cuts its text between them sends two texts that no JSON parser reads.

use std::borrow::Cow;

use memchr::memmem;

const ESCAPE_BYTES: usize = 6;
/// What stands for half a character whose other half never comes.
const REPLACEMENT: &str = "\\ufffd";

/// The half that waits for the other one.
#[derive(Default)]
pub(super) struct SurrogateJoiner {
    high: Option<String>,
}

impl SurrogateJoiner {
    /// The JSON of an event, in which no half stands alone: a first half at the end of a text moves to the second half at the
    /// beginning of a later text.
    pub(super) fn join<'a>(&mut self, json: &'a str) -> Cow<'a, str> {
        if memmem::find(json.as_bytes(), b"\\u").is_none() {
            return Cow::Borrowed(json);
        }
        let mut joined = String::with_capacity(json.len());
        let (mut copied, mut at) = (0, 0);
        while let Some(found) = memchr::memchr(b'\\', &json.as_bytes()[at..]) {
            let start = at + found;
            let Some(half) = Half::at(json, start) else {
                // Past the escaped character, which may be a backslash.
                at = json.ceil_char_boundary(start + 2);
                continue;
            };
            let end = start + ESCAPE_BYTES;
            at = end;
            if half == Half::High && Half::at(json, end) == Some(Half::Low) {
                at = end + ESCAPE_BYTES;
                continue;
            }
            joined.push_str(&json[copied..start]);
            copied = end;
            match half {
                Half::High if json[end..].starts_with('"') => self.high = Some(json[start..end].to_owned()),
                Half::Low if json[..start].ends_with('"') && self.high.is_some() => {
                    joined.push_str(&self.high.take().unwrap_or_default());
                    joined.push_str(&json[start..end]);
                }
                Half::High | Half::Low => joined.push_str(REPLACEMENT),
            }
        }
        if copied == 0 {
            return Cow::Borrowed(json);
        }
        joined.push_str(&json[copied..]);
        Cow::Owned(joined)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    High,
    Low,
}

impl Half {
    /// The half that the escape at `start` writes, if it writes one.
    fn at(json: &str, start: usize) -> Option<Self> {
        let hex = json.get(start..start + ESCAPE_BYTES)?.strip_prefix("\\u")?;
        match u16::from_str_radix(hex, 16).ok()? {
            0xD800..=0xDBFF => Some(Self::High),
            0xDC00..=0xDFFF => Some(Self::Low),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
