//! Changes the text of a pipeline so that its content becomes another, and leaves everything else as it is: comments, blank
//! lines, quotes, the order of keys. Compares two contents and edits only what differs between them.

use std::collections::HashMap;
use std::ops::Range;

use granit_parser::ScalarStyle;

use super::emit;
use super::tree::Tree;
use super::yaml::{Kind, MappingEntry, Yaml};

/// Changes `text` with the tree `root` from the content `old` to `new`.
pub(super) fn patch(text: &str, root: &Yaml, old: &Tree, new: &Tree) -> String {
    let mut patcher = Patcher { text, edits: Vec::new() };
    patcher.mapping(root, old, new);
    patcher.apply(0..text.len())
}

struct Edit {
    range: Range<usize>,
    replacement: String,
}

struct Patcher<'t> {
    text: &'t str,
    edits: Vec<Edit>,
}

impl Patcher<'_> {
    /// The text of a range with its edits.
    fn apply(&self, range: Range<usize>) -> String {
        let mut edits: Vec<&Edit> = self
            .edits
            .iter()
            .filter(|edit| range.start <= edit.range.start && edit.range.end <= range.end)
            .collect();
        // Stable: edits at one place keep their order.
        edits.sort_by_key(|edit| edit.range.start);
        let windows = self.text.contains("\r\n");
        let (mut written, mut at) = (String::new(), range.start);
        for edit in edits.into_iter().filter(|edit| edit.range.start >= range.start) {
            // One within another is part of what that replaced.
            if edit.range.start < at {
                continue;
            }
            written.push_str(&self.text[at..edit.range.start]);
            if windows {
                written.push_str(&edit.replacement.replace("\r\n", "\n").replace('\n', "\r\n"));
            } else {
                written.push_str(&edit.replacement);
            }
            at = edit.range.end;
        }
        written.push_str(&self.text[at..range.end]);
        written
    }

    fn edit(&mut self, range: Range<usize>, replacement: String) {
        self.edits.push(Edit { range, replacement });
    }

    fn mapping(&mut self, yaml: &Yaml, old: &Tree, new: &Tree) {
        let Kind::Mapping { entries, inline } = &yaml.kind else { return };
        if *inline {
            return self.inline_mapping(yaml, entries, old, new);
        }
        let Some(first) = entries.first() else { return };
        let indent = self.column(first.key_range.start);
        for (key, _) in old.entries() {
            if new.get(key).is_none() {
                self.remove(entries, key);
            }
        }
        for (index, (key, value)) in new.entries().iter().enumerate() {
            let before = old.get(key);
            if before == Some(value) {
                continue;
            }
            if let Some(entry) = entries.iter().find(|entry| entry.key == *key) {
                self.value(entry, indent, before, value);
            } else {
                let next = &new.entries()[index + 1..];
                self.insert(entries, indent, key, value, next);
            }
        }
    }

    /// Rewrites a mapping on one line, with the texts of the values that stay.
    fn inline_mapping(&mut self, yaml: &Yaml, entries: &[MappingEntry], old: &Tree, new: &Tree) {
        let stays = |entry: &&MappingEntry| old.get(&entry.key).is_none() || new.get(&entry.key).is_some();
        let mut written: Vec<String> = Vec::new();
        for entry in entries.iter().filter(stays) {
            let changed = new.get(&entry.key).filter(|value| old.get(&entry.key) != Some(value));
            written.push(match changed {
                Some(value) => {
                    format!("{}: {}", &self.text[entry.key_range.clone()], emit::inline(&value.to_json()))
                }
                None => self.text[entry.key_range.start..entry.value.range.end.max(entry.key_range.end)]
                    .to_owned(),
            });
        }
        let added = new.entries().iter().filter(|(key, _)| !entries.iter().any(|entry| entry.key == *key));
        let added = added.filter(|(key, value)| old.get(key) != Some(value));
        written.extend(
            added.map(|(key, value)| format!("{}: {}", emit::key(key), emit::inline(&value.to_json()))),
        );
        self.edit(yaml.range.clone(), format!("{{{}}}", written.join(", ")));
    }

    /// Changes the value of an entry.
    fn value(&mut self, entry: &MappingEntry, indent: usize, old: Option<&Tree>, new: &Tree) {
        let yaml = &entry.value;
        match (&yaml.kind, old, new) {
            (Kind::Mapping { entries, .. }, Some(old @ Tree::Map(_)), Tree::Map(changed))
                if !entries.is_empty() && !changed.is_empty() =>
            {
                self.mapping(yaml, old, new);
            }
            (Kind::Sequence { items, inline: false }, Some(Tree::Steps(old)), Tree::Steps(new))
                if !items.is_empty() && !new.is_empty() =>
            {
                self.steps(items, old, new);
            }
            (Kind::Scalar { style, .. }, _, Tree::Leaf(value)) if !yaml.range.is_empty() => {
                let further = match style {
                    ScalarStyle::Literal | ScalarStyle::Folded => self.content_indent(yaml).max(indent + 1),
                    _ => indent + 2,
                };
                self.edit(yaml.range.clone(), emit::leaf(value, *style, further));
            }
            (Kind::Scalar { .. }, _, Tree::Map(_) | Tree::Steps(_)) if !yaml.range.is_empty() => {
                // What follows on the line, a comment, stays there.
                let after = emit::after_key(new, indent);
                let line_end = self.text[yaml.range.end..].find(['\r', '\n']);
                let line_end = line_end.map_or(self.text.len(), |at| yaml.range.end + at);
                if after.starts_with('\n') && line_end > yaml.range.end {
                    let gap = self.text[..yaml.range.start].trim_end_matches(' ').len();
                    self.edit(gap..yaml.range.end, String::new());
                    self.edit(line_end..line_end, after);
                } else {
                    self.edit(yaml.range.start - 1..yaml.range.end, after);
                }
            }
            _ => {
                let colon = self.text[entry.key_range.end..].find(':').map_or(0, |at| at + 1);
                let start = entry.key_range.end + colon;
                let end = yaml.range.end.max(start);
                self.edit(start..end, emit::after_key(new, indent));
            }
        }
    }

    /// The indentation of the lines of a block scalar.
    fn content_indent(&self, yaml: &Yaml) -> usize {
        let lines = self.text[yaml.range.clone()].lines().skip(1).filter(|line| !line.trim().is_empty());
        lines.map(|line| line.len() - line.trim_start_matches(' ').len()).min().unwrap_or_default()
    }

    fn remove(&mut self, entries: &[MappingEntry], key: &str) {
        let Some(index) = entries.iter().position(|entry| entry.key == key) else { return };
        let entry = &entries[index];
        let end = self.line_end(entry.value.range.end.max(entry.key_range.end));
        match entries.get(index + 1) {
            // The first may stand behind the dash of a list.
            Some(next) if index == 0 => self.edit(entry.key_range.start..next.key_range.start, String::new()),
            _ => self.edit(self.line_start(entry.key_range.start)..end, String::new()),
        }
    }

    /// Adds an entry: before the first of the later entries, if they hold steps, else at the end.
    fn insert(
        &mut self,
        entries: &[MappingEntry],
        indent: usize,
        key: &str,
        value: &Tree,
        following: &[(String, Tree)],
    ) {
        let line = emit::entry(key, value, indent);
        let holds_steps = |entry: &&MappingEntry| {
            matches!(entry.key.as_str(), "steps" | "body" | "branches" | "loop" | "layout" | "frames")
        };
        let follows = |entry: &&MappingEntry| following.iter().any(|(key, _)| *key == entry.key);
        let before = entries.iter().skip(1).find(|entry| holds_steps(entry) && follows(entry));
        if let Some(before) = before {
            let at = self.comment_start(before.key_range.start);
            self.edit(at..at, format!("{line}\n"));
        } else if let Some(last) = entries.last() {
            let at = self.line_end(last.value.range.end.max(last.key_range.end));
            self.edit(at..at, self.lines(at, &line));
        }
    }

    /// Lines that begin at `at`, which may be the end of a text without a line break.
    fn lines(&self, at: usize, lines: &str) -> String {
        if at == 0 || self.text[..at].ends_with('\n') { format!("{lines}\n") } else { format!("\n{lines}\n") }
    }

    /// Changes a list of steps: each by its name.
    fn steps(&mut self, items: &[Yaml], old: &[Tree], new: &[Tree]) {
        let names =
            items.iter().enumerate().filter_map(|(index, item)| Some((item.get("name")?.text()?, index)));
        let known: HashMap<&str, usize> = names.collect();
        let before: HashMap<&str, &Tree> = old.iter().filter_map(|step| Some((step.name()?, step))).collect();
        let places: Vec<Option<usize>> = new.iter().map(|step| known.get(step.name()?).copied()).collect();
        for (step, place) in new.iter().zip(&places) {
            let old = step.name().and_then(|name| before.get(name));
            if let (Some(index), Some(old)) = (place, old) {
                self.mapping(&items[*index], old, step);
            }
        }
        let is_same = places.len() == items.len()
            && places.iter().enumerate().all(|(index, place)| *place == Some(index));
        if is_same {
            return;
        }
        let regions = self.regions(items);
        let (Some(first), Some(last)) = (regions.first(), regions.last()) else { return };
        let whole = first.start..last.end;
        let indent = self.column(self.dash(&items[0]));
        // Steps with blank lines between them get more of these.
        let is_spaced =
            regions.iter().skip(1).any(|region| self.text[region.clone()].starts_with(['\n', '\r']));
        let mut written = String::new();
        for (step, place) in new.iter().zip(places) {
            if !written.is_empty() && !written.ends_with('\n') {
                written.push('\n');
            }
            if let Some(region) = place.and_then(|index| regions.get(index)) {
                written.push_str(&self.apply(region.clone()));
            } else {
                written.push_str(if is_spaced && !written.is_empty() { "\n" } else { "" });
                written.push_str(&emit::step(step, indent));
                written.push('\n');
            }
        }
        if !self.text[..whole.end].ends_with('\n') {
            written.truncate(written.trim_end_matches('\n').len());
        }
        // What was edited within is in the replacement.
        self.edits.retain(|edit| edit.range.start < whole.start || whole.end < edit.range.end);
        self.edit(whole, written);
    }

    /// The lines of each step, with the comments before it.
    fn regions(&self, items: &[Yaml]) -> Vec<Range<usize>> {
        let mut regions = Vec::with_capacity(items.len());
        let mut start = items.first().map_or(0, |first| self.line_start(self.dash(first)));
        for item in items {
            let end = self.inner_comments_end(self.line_end(item.range.end), self.column(self.dash(item)));
            regions.push(start..end);
            start = end;
        }
        regions
    }

    /// The end of the comments after a step that are deeper than its dash: they are part of it.
    fn inner_comments_end(&self, mut end: usize, dash: usize) -> usize {
        let mut at = end;
        while at < self.text.len() {
            let next = self.line_end(at);
            let line = self.text[at..next].trim_end();
            let content = line.trim_start_matches(' ');
            if content.starts_with('#') && line.len() - content.len() > dash {
                end = next;
            } else if !content.is_empty() {
                break;
            }
            at = next;
        }
        end
    }

    /// Where the dash of an item is.
    fn dash(&self, item: &Yaml) -> usize {
        self.text[..item.range.start].rfind('-').unwrap_or(item.range.start)
    }

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |newline| newline + 1)
    }

    /// The start of the line of a key, or of the comments right before it.
    fn comment_start(&self, at: usize) -> usize {
        let mut start = self.line_start(at);
        while start > 0 {
            let previous = self.line_start(start - 1);
            if !self.text[previous..start].trim_start().starts_with('#') {
                break;
            }
            start = previous;
        }
        start
    }

    /// The end of a line, with its line break.
    fn line_end(&self, at: usize) -> usize {
        self.text[at..].find('\n').map_or(self.text.len(), |newline| at + newline + 1)
    }

    fn column(&self, at: usize) -> usize {
        at - self.line_start(at)
    }
}
