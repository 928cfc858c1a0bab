//! The headings above a place in a Markdown text.

/// Follows the headings of a text. Places are asked for in order.
pub(super) struct Headings<'a> {
    lines: std::iter::Peekable<Lines<'a>>,
    /// The open headings with their level, outermost first.
    open: Vec<(usize, &'a str)>,
    /// The fence of the code block that is open.
    fence: Option<&'a str>,
}

/// More levels than these tell nothing about a passage.
const MAX_LEVELS: usize = 4;
const MAX_HEADING_CHARS: usize = 80;

impl<'a> Headings<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { lines: Lines { text, at: 0 }.peekable(), open: Vec::new(), fence: None }
    }

    /// The headings of the section at `offset`, joined.
    pub(super) fn above(&mut self, offset: usize) -> String {
        while let Some((_, line)) = self.lines.next_if(|(start, _)| *start <= offset) {
            self.read_line(line);
        }
        let parts = self
            .open
            .iter()
            .take(MAX_LEVELS)
            .map(|(_, title)| title.chars().take(MAX_HEADING_CHARS).collect::<String>());
        parts.collect::<Vec<_>>().join(" › ")
    }

    fn read_line(&mut self, line: &'a str) {
        let line = line.trim();
        let fence = ["```", "~~~"].into_iter().find(|fence| line.starts_with(fence));
        match (self.fence, fence) {
            (Some(open), Some(found)) if open == found => self.fence = None,
            (Some(_), _) => {}
            (None, Some(found)) => self.fence = Some(found),
            (None, None) => {
                let level = line.bytes().take_while(|byte| *byte == b'#').count();
                let title = line[level..].trim_end_matches('#').trim();
                if (1..=6).contains(&level) && line[level..].starts_with([' ', '\t']) && !title.is_empty() {
                    self.open.retain(|(outer, _)| *outer < level);
                    self.open.push((level, title));
                }
            }
        }
    }
}

struct Lines<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Lines<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.at;
        let rest = self.text.get(start..).filter(|rest| !rest.is_empty())?;
        let length = memchr::memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |end| end + 1);
        self.at += length;
        Some((start, &rest[..length]))
    }
}
