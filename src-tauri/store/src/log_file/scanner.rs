//! Reads a file from its beginning to its end and skips damage. Owns telling a torn end from damage.
//!
//! A crash leaves a prefix of what was appended, or a prefix followed by zeros where the file had grown before its
//! content was written. Both are a *torn end*: the records before it are all there ever was. Anything else that fails its
//! check is *damage*: a record that was whole once.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::ops::Range;

use super::frame::{FILE_HEADER_BYTES, FRAME_HEADER_BYTES, FileHeader, FrameHeader, HeaderError, MARKER};

/// How much is read at once.
const CHUNK_BYTES: usize = 256 << 10;

/// The next thing in a file.
#[derive(Debug)]
pub(crate) enum Item<'a> {
    Record { offset: u64, header: FrameHeader, payload: &'a [u8] },
    Damage(Damage),
}

/// A part of a file that can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Damage {
    pub(crate) bytes: Range<u64>,
    /// Whose record it was, if that can still be read.
    pub(crate) header: Option<FrameHeader>,
}

/// How a file ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScanEnd {
    /// Where the last record that is whole, or damaged, ends.
    pub(crate) end: u64,
    /// Whether there is a torn end behind it.
    pub(crate) torn: bool,
}

/// Reads one file.
pub(crate) struct Scanner {
    file: File,
    /// The length of the file when it was opened. Later appends are ignored.
    length: u64,
    /// The bytes of the file from `base` on.
    buffer: Vec<u8>,
    base: u64,
    /// The next byte to look at.
    at: u64,
    header: Option<FileHeader>,
    torn: bool,
    /// Where the zeros at the end of the file begin, once that is known.
    zeros_from: Option<u64>,
    /// Damage of the file's header, to be reported first.
    header_damage: Option<Damage>,
}

/// Why a file can't be read at all.
#[derive(Debug)]
pub(crate) enum OpenError {
    Io(io::Error),
    /// A newer version of this program wrote it.
    Newer(u16),
}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Scanner {
    pub(crate) fn open(path: &std::path::Path) -> Result<Self, OpenError> {
        Self::over(File::open(path)?)
    }

    pub(crate) fn over(file: File) -> Result<Self, OpenError> {
        let length = file.metadata()?.len();
        let mut scanner = Self {
            file,
            length,
            buffer: Vec::new(),
            base: 0,
            at: 0,
            header: None,
            torn: false,
            zeros_from: None,
            header_damage: None,
        };
        scanner.file.seek(SeekFrom::Start(0))?;
        if !scanner.fill(FILE_HEADER_BYTES)? {
            // Created, and nothing was ever synced in it.
            scanner.torn = length > 0;
            return Ok(scanner);
        }
        let mut bytes = [0; FILE_HEADER_BYTES];
        bytes.copy_from_slice(scanner.window(FILE_HEADER_BYTES));
        match FileHeader::read(&bytes) {
            Ok(header) => scanner.header = Some(header),
            Err(HeaderError::Newer(version)) => return Err(OpenError::Newer(version)),
            Err(HeaderError::Damaged) if scanner.zeros_from()? < FILE_HEADER_BYTES as u64 => {
                scanner.torn = true;
                return Ok(scanner);
            }
            Err(HeaderError::Damaged) => {
                scanner.header_damage = Some(Damage { bytes: 0..FILE_HEADER_BYTES as u64, header: None });
            }
        }
        scanner.at = FILE_HEADER_BYTES as u64;
        Ok(scanner)
    }

    /// The file's header; none if it is damaged or was never written.
    pub(crate) fn header(&self) -> Option<FileHeader> {
        self.header
    }

    /// The length of the file when it was opened.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// How the file ends. To be asked when [`Scanner::next`] gave nothing more.
    pub(crate) fn end(&self) -> ScanEnd {
        ScanEnd { end: self.at, torn: self.torn }
    }

    /// The next record or the next damage; nothing at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Item<'_>>> {
        if let Some(damage) = self.header_damage.take() {
            return Ok(Some(Item::Damage(damage)));
        }
        if self.torn || self.at >= self.length {
            return Ok(None);
        }
        let offset = self.at;
        if !self.fill(FRAME_HEADER_BYTES)? {
            self.torn = true;
            return Ok(None);
        }
        let Some(header) = FrameHeader::read(self.window(FRAME_HEADER_BYTES)) else {
            return Ok(self.resync()?.map(Item::Damage));
        };
        if header.record_bytes() > self.length - offset {
            self.torn = true;
            return Ok(None);
        }
        // The record fits the file, so its length is no larger than that of the file.
        let record = usize::try_from(header.record_bytes()).map_err(io::Error::other)?;
        if !self.fill(record)? {
            self.torn = true;
            return Ok(None);
        }
        let end = offset + header.record_bytes();
        if !header.matches(&self.window(record)[FRAME_HEADER_BYTES..]) {
            if self.zeros_from()? < end {
                self.torn = true;
                return Ok(None);
            }
            self.at = end;
            return Ok(Some(Item::Damage(Damage { bytes: offset..end, header: Some(header) })));
        }
        self.at = end;
        // Within the buffer: it was filled up to there.
        let from = usize::try_from(offset - self.base).map_err(io::Error::other)?;
        let payload = &self.buffer[from + FRAME_HEADER_BYTES..from + record];
        Ok(Some(Item::Record { offset, header, payload }))
    }

    /// Skips to the next valid header of a record.
    fn resync(&mut self) -> io::Result<Option<Damage>> {
        let from = self.at;
        if self.zeros_from()? <= from + FRAME_HEADER_BYTES as u64 {
            self.torn = true;
            return Ok(None);
        }
        loop {
            self.at += 1;
            if !self.fill(FRAME_HEADER_BYTES)? {
                self.at = self.length;
                break;
            }
            let start = usize::try_from(self.at - self.base).map_err(io::Error::other)?;
            let ahead = &self.buffer[start..];
            let searched = ahead.len() - (FRAME_HEADER_BYTES - 1);
            match ahead[..searched + MARKER.len() - 1].windows(MARKER.len()).position(|four| four == MARKER) {
                Some(found) => {
                    self.at += found as u64;
                    if FrameHeader::read(&ahead[found..]).is_some() {
                        break;
                    }
                }
                None => self.at += searched as u64 - 1,
            }
        }
        Ok(Some(Damage { bytes: from..self.at, header: None }))
    }

    /// Where the zeros at the end of the file begin; its length if it does not end in zeros.
    fn zeros_from(&mut self) -> io::Result<u64> {
        if let Some(known) = self.zeros_from {
            return Ok(known);
        }
        let mut end = self.length;
        let mut chunk = vec![0; CHUNK_BYTES];
        while end > 0 {
            let from = end.saturating_sub(CHUNK_BYTES as u64);
            let part = usize::try_from(end - from).map_err(io::Error::other)?;
            self.file.seek(SeekFrom::Start(from))?;
            self.file.read_exact(&mut chunk[..part])?;
            if let Some(last) = chunk[..part].iter().rposition(|&byte| byte != 0) {
                end = from + last as u64 + 1;
                break;
            }
            end = from;
        }
        self.file.seek(SeekFrom::Start(self.base + self.buffer.len() as u64))?;
        self.zeros_from = Some(end);
        Ok(end)
    }

    /// The bytes at hand.
    fn window(&self, count: usize) -> &[u8] {
        // `at` is never before `base`, and `fill` made room for `count`.
        let start = usize::try_from(self.at - self.base).unwrap_or(usize::MAX);
        &self.buffer[start..start + count]
    }

    /// Reads until `count` bytes from `at` on are in the buffer. False if the file ends before.
    fn fill(&mut self, count: usize) -> io::Result<bool> {
        let start = usize::try_from(self.at - self.base).map_err(io::Error::other)?;
        if start + count <= self.buffer.len() {
            return Ok(true);
        }
        if self.length - self.at < count as u64 {
            return Ok(false);
        }
        self.buffer.drain(..start.min(self.buffer.len()));
        self.base = self.at;
        let kept = self.buffer.len();
        let left = usize::try_from(self.length - self.base).unwrap_or(usize::MAX);
        let wanted = count.max(CHUNK_BYTES).min(left);
        self.buffer.resize(wanted.max(kept), 0);
        let mut filled = kept;
        while filled < wanted {
            match self.file.read(&mut self.buffer[filled..wanted]) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.buffer.truncate(filled);
        Ok(filled >= count)
    }
}
