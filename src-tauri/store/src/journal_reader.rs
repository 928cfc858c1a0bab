//! Reading the journal of a run. Owns telling a damaged entry from the end.

use std::collections::VecDeque;
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use plait_core::error::Fault;
use plait_journal::Entry;

use crate::conversation::{Conversations, reference};
use crate::fault;
use crate::large_value;
use crate::log_file::Key;
use crate::tree::{
    self, Span, TreeLayout, Values, lines, load_value, refers_to_values, run_id, visit_entry_frames,
};

/// A tree's file, open, and what stands where in it. When the tree ends, a compressed file takes the place of this one: entries
/// are read from the file that the layout is about.
pub(crate) struct TreeFile {
    /// None if there is no file.
    file: Option<File>,
    pub(crate) layout: TreeLayout,
}

impl TreeFile {
    /// Opens a file and reads its layout. Faults `store.newer`, `store.io`.
    pub(crate) fn open(path: &Path) -> Result<Self, Fault> {
        let Some(file) = tree::open_file(path)? else {
            return Ok(Self { file: None, layout: TreeLayout::default() });
        };
        let layout = TreeLayout::of_file(path, duplicate(&file)?)?;
        Ok(Self { file: Some(file), layout })
    }

    /// A reader of all entries of a run in it. To be used up before another one is made: they share the position in the file.
    pub(crate) fn entries(&self, run: Key, may_lack_end: bool) -> Result<EntryReader, Fault> {
        let file = self.file.as_ref().map(duplicate).transpose()?;
        let known = self.layout.runs.get(&run);
        let (spans, end) = known.map_or((&[][..], 0), |known| (&known.spans[..], known.next_seq));
        Ok(EntryReader::over(file, run, 0, spans, Arc::clone(&self.layout.values), end, may_lack_end))
    }
}

/// Another handle to an open file.
pub(crate) fn duplicate(file: &File) -> Result<File, Fault> {
    file.try_clone().map_err(|error| fault::of_io("read a journal", &error))
}

/// An entry as it is stored.
struct Line {
    seq: u64,
    text: Vec<u8>,
    /// Whether it refers to large values.
    has_references: bool,
}

/// Where a line is in a text of many.
pub(crate) struct StoredLine {
    pub(crate) seq: u64,
    pub(crate) bytes: Range<usize>,
    /// Whether it refers to large values.
    pub(crate) has_references: bool,
}

/// Decodes lines of one file, with the large values in it.
pub(crate) struct EntryDecoder {
    /// None if there is no file.
    file: Option<File>,
    values: Values,
}

impl EntryDecoder {
    /// For the file that the layout is about.
    pub(crate) fn new(file: File, layout: &TreeLayout) -> Self {
        Self { file: Some(file), values: Arc::clone(&layout.values) }
    }

    /// The entry of a line. `Err` describes the damage.
    pub(crate) fn decode(&mut self, seq: u64, text: &[u8], has_references: bool) -> Result<Entry, String> {
        let expanded;
        let text = if has_references {
            let Self { file, values } = self;
            let file = file.as_mut().ok_or("its file is gone")?;
            let mut load = |hash: &large_value::ValueHash| {
                let offset = values.lock().get(hash).copied();
                load_value(file, offset, hash)
            };
            expanded = large_value::expand(text, &mut load)?;
            &expanded
        } else {
            text
        };
        let entry: Entry = serde_json::from_slice(text).map_err(|error| error.to_string())?;
        if entry.seq == Some(seq) { Ok(entry) } else { Err("it carries another seq".to_owned()) }
    }
}

/// Reads the entries of one run in the file of its tree, as they are stored.
pub(crate) struct EntryReader {
    decoder: EntryDecoder,
    run: Key,
    spans: VecDeque<Span>,
    /// What was read ahead.
    ahead: VecDeque<Line>,
    next_seq: u64,
    /// The seq after the last entry that is known of.
    end: u64,
    /// A damaged record could be one of this run, behind all that can be read.
    may_lack_end: bool,
    ended: bool,
}

impl EntryReader {
    /// A reader from `from_seq` on, of the file that `spans` are about. `end` is the seq after the last entry that is known of,
    /// and `may_lack_end` says that there may have been more.
    pub(crate) fn over(
        file: Option<File>,
        run: Key,
        from_seq: u64,
        spans: &[Span],
        values: Values,
        end: u64,
        may_lack_end: bool,
    ) -> Self {
        let first = spans.partition_point(|span| span.first_seq <= from_seq).saturating_sub(1);
        Self {
            decoder: EntryDecoder { file, values },
            run,
            spans: spans[first..].iter().cloned().collect(),
            ahead: VecDeque::new(),
            next_seq: from_seq,
            end,
            may_lack_end,
            ended: false,
        }
    }

    /// A reader of lines that are in no file.
    pub(crate) fn of_lines(run: Key, from_seq: u64, lines: &[Vec<u8>]) -> Self {
        let mut reader = Self::over(None, run, from_seq, &[], Values::default(), lines.len() as u64, false);
        let wanted = (0..).zip(lines).filter(|(seq, _)| *seq >= from_seq);
        reader.ahead =
            wanted.map(|(seq, text)| Line { seq, text: text.clone(), has_references: false }).collect();
        reader
    }

    /// The next entry; nothing at the end. After a fault `journal.corrupt`, reading goes on behind the damage.
    pub(crate) fn next(&mut self) -> Result<Option<Entry>, Fault> {
        self.next_where(&mut |_| true)
    }

    /// The next entry with a line that `is_wanted` accepts. Other lines are not decoded. It gets each line as it is stored: large
    /// values are references.
    pub(crate) fn next_where(
        &mut self,
        is_wanted: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<Option<Entry>, Fault> {
        loop {
            match self.ahead.front() {
                Some(line) if line.seq > self.next_seq => {
                    let lost = self.next_seq..line.seq;
                    return Err(self.lose(lost, "it can't be read"));
                }
                Some(_) => {
                    let Some(line) = self.ahead.pop_front() else { continue };
                    if line.seq < self.next_seq {
                        continue;
                    }
                    if !is_wanted(&line.text) {
                        self.next_seq = line.seq + 1;
                        continue;
                    }
                    match self.decoder.decode(line.seq, &line.text, line.has_references) {
                        Ok(entry) => {
                            self.next_seq = line.seq + 1;
                            self.ended = entry.event.is_terminal();
                            return Ok(Some(entry));
                        }
                        Err(why) => return Err(self.lose(line.seq..line.seq + 1, &why)),
                    }
                }
                None => {}
            }
            let Some(span) = self.spans.pop_front() else { break };
            self.read(&span)?;
        }
        if self.next_seq < self.end {
            return Err(self.lose(self.next_seq..self.end, "it can't be read"));
        }
        if std::mem::take(&mut self.may_lack_end) && !self.ended {
            return Err(self.corrupt(self.next_seq, "the record that it may have been in can't be read"));
        }
        Ok(None)
    }

    fn read(&mut self, span: &Span) -> Result<(), Fault> {
        let Some(file) = &mut self.decoder.file else { return Ok(()) };
        let (ahead, next_seq) = (&mut self.ahead, self.next_seq);
        visit_entry_frames(file, span, self.run, &mut |header, payload| {
            let has_references = refers_to_values(header);
            for (seq, text) in (header.seq..).zip(lines(payload)).filter(|(seq, _)| *seq >= next_seq) {
                ahead.push_back(Line { seq, text: text.to_vec(), has_references });
            }
        })
        .map_err(|error| fault::of_io("read a journal", &error))
    }

    /// All lines that can be read: their text, their places in it, and what decodes them.
    pub(crate) fn into_lines(mut self) -> Result<(Vec<u8>, Vec<StoredLine>, EntryDecoder), Fault> {
        let mut text = Vec::new();
        let mut found: Vec<StoredLine> = Vec::new();
        for Line { seq, text: line, has_references } in self.ahead {
            let start = text.len();
            text.extend_from_slice(&line);
            found.push(StoredLine { seq, bytes: start..text.len(), has_references });
        }
        let Some(file) = &mut self.decoder.file else { return Ok((text, found, self.decoder)) };
        for span in &self.spans {
            visit_entry_frames(file, span, self.run, &mut |header, payload| {
                let has_references = refers_to_values(header);
                let mut start = text.len();
                text.extend_from_slice(payload);
                for (seq, line) in (header.seq..).zip(lines(payload)) {
                    let bytes = start..start + line.len();
                    start = bytes.end + 1;
                    if seq >= self.next_seq {
                        self.next_seq = seq + 1;
                        found.push(StoredLine { seq, bytes, has_references });
                    }
                }
            })
            .map_err(|error| fault::of_io("read a journal", &error))?;
        }
        Ok((text, found, self.decoder))
    }

    fn lose(&mut self, lost: Range<u64>, why: &str) -> Fault {
        self.next_seq = lost.end;
        let final_seq = lost.end - 1;
        if final_seq == lost.start {
            return self.corrupt(lost.start, why);
        }
        self.corrupt(lost.start, &format!("{why}, nor those up to {final_seq}"))
    }

    fn corrupt(&self, seq: u64, why: &str) -> Fault {
        tree::corrupt(&run_id(self.run), seq, why)
    }
}

/// The entries of a journal, in order, as far as it went when reading began. After a fault it is over, unless it was
/// opened to read what is behind damage as well.
pub struct JournalEntries {
    reader: EntryReader,
    conversations: Arc<Conversations>,
    skips_damage: bool,
    over: bool,
}

impl JournalEntries {
    pub(crate) fn new(reader: EntryReader, conversations: Arc<Conversations>, skips_damage: bool) -> Self {
        Self { reader, conversations, skips_damage, over: false }
    }

    /// The next entry with a line that `is_wanted` accepts, like [`next`](Iterator::next). Other lines are not decoded: only damage
    /// of the file is found in them. `is_wanted` gets lines as they are stored, and must accept those of the events that end a run.
    pub fn next_where(&mut self, is_wanted: &mut dyn FnMut(&[u8]) -> bool) -> Option<Result<Entry, Fault>> {
        if self.over {
            return None;
        }
        let read = self.read(is_wanted);
        self.over = match &read {
            Ok(entry) => entry.is_none(),
            Err(fault) => !self.skips_damage || fault.code.domain() == "store",
        };
        read.transpose()
    }

    fn read(&mut self, is_wanted: &mut dyn FnMut(&[u8]) -> bool) -> Result<Option<Entry>, Fault> {
        let Some(mut entry) = self.reader.next_where(is_wanted)? else { return Ok(None) };
        reference::expand(&self.conversations, &mut entry)?;
        Ok(Some(entry))
    }
}

impl Iterator for JournalEntries {
    type Item = Result<Entry, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_where(&mut |_| true)
    }
}
