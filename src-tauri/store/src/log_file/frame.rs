//! The bytes of a file's header and of one record.

use std::ops::Range;

use super::{Key, VERSION};

const MAGIC: [u8; 8] = *b"PLAITLOG";
/// Begins each record. No UTF-8 text contains its first or last byte.
pub(super) const MARKER: [u8; 4] = [0xFF, b'P', b'L', 0xFE];

/// The length of a file's header.
pub(crate) const FILE_HEADER_BYTES: usize = 32;
/// The length of a record without its payload.
pub(crate) const FRAME_HEADER_BYTES: usize = 48;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum FileKind {
    /// The journals of a run and of its child runs.
    RunTree = 1,
    Conversation = 2,
    /// The long-term memories of a user.
    Memory = 4,
    /// What runs have spent.
    Spending = 5,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileHeader {
    pub(crate) kind: FileKind,
    /// Written whole and synced before it got its name: nothing is appended to it, and it can't have a torn end.
    pub(crate) sealed: bool,
    pub(crate) id: Key,
}

/// Why a header is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeaderError {
    Damaged,
    /// A newer version of this program wrote the file.
    Newer(u16),
}

impl FileHeader {
    pub(crate) fn bytes(&self) -> [u8; FILE_HEADER_BYTES] {
        let mut bytes = [0; FILE_HEADER_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..10].copy_from_slice(&VERSION.to_le_bytes());
        bytes[10] = self.kind as u8;
        bytes[11] = u8::from(self.sealed);
        bytes[12..28].copy_from_slice(&self.id);
        let crc = crc32c::crc32c(&bytes[..28]);
        bytes[28..].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    pub(super) fn read(bytes: &[u8; FILE_HEADER_BYTES]) -> Result<Self, HeaderError> {
        if bytes[..8] != MAGIC || crc32c::crc32c(&bytes[..28]) != u32_at(bytes, 28) {
            return Err(HeaderError::Damaged);
        }
        let version = u16::from_le_bytes([bytes[8], bytes[9]]);
        if version > VERSION {
            return Err(HeaderError::Newer(version));
        }
        let kind = match bytes[10] {
            1 => FileKind::RunTree,
            2 => FileKind::Conversation,
            4 => FileKind::Memory,
            5 => FileKind::Spending,
            _ => return Err(HeaderError::Damaged),
        };
        let mut id = [0; 16];
        id.copy_from_slice(&bytes[12..28]);
        Ok(Self { kind, sealed: bytes[11] & 1 != 0, id })
    }
}

/// The header of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameHeader {
    /// What the payload is; the meaning belongs to the kind of file.
    pub(crate) kind: u8,
    pub(crate) flags: u8,
    /// How many entries the payload holds.
    pub(crate) count: u32,
    /// The run or the conversation that it belongs to.
    pub(crate) owner: Key,
    /// The seq of its first entry.
    pub(crate) seq: u64,
    /// The length of the payload; [`end_frame`] sets it.
    pub(crate) length: u32,
    pub(super) payload_crc: u32,
}

impl FrameHeader {
    pub(crate) fn new(kind: u8, owner: Key, seq: u64, count: u32) -> Self {
        Self { kind, flags: 0, count, owner, seq, length: 0, payload_crc: 0 }
    }

    /// The same with other flags.
    pub(crate) fn with_flags(self, flags: u8) -> Self {
        Self { flags, ..self }
    }

    /// The seqs of its entries.
    pub(crate) fn seqs(&self) -> Range<u64> {
        self.seq..self.seq + u64::from(self.count)
    }

    /// The length of the whole record.
    pub(crate) fn record_bytes(&self) -> u64 {
        FRAME_HEADER_BYTES as u64 + u64::from(self.length)
    }

    /// The header at the beginning of `bytes`, if there is a valid one.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; FRAME_HEADER_BYTES] = bytes.first_chunk()?;
        if bytes[..4] != MARKER || crc32c::crc32c(&bytes[8..]) != u32_at(bytes, 4) {
            return None;
        }
        let mut owner = [0; 16];
        owner.copy_from_slice(&bytes[24..40]);
        let mut seq = [0; 8];
        seq.copy_from_slice(&bytes[40..]);
        Some(Self {
            payload_crc: u32_at(bytes, 8),
            length: u32_at(bytes, 12),
            count: u32_at(bytes, 16),
            kind: bytes[20],
            flags: bytes[21],
            owner,
            seq: u64::from_le_bytes(seq),
        })
    }

    pub(super) fn matches(&self, payload: &[u8]) -> bool {
        crc32c::crc32c(payload) == self.payload_crc
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// Begins a record at the end of `out`: the payload is appended next, then [`end_frame`] is called with the result.
pub(crate) fn begin_frame(out: &mut Vec<u8>) -> usize {
    let start = out.len();
    out.resize(start + FRAME_HEADER_BYTES, 0);
    start
}

/// Completes the record that begins at `start`. False, and the record is taken back, if it is larger than a record can be.
#[must_use]
pub(crate) fn end_frame(out: &mut Vec<u8>, start: usize, header: FrameHeader) -> bool {
    let payload = start + FRAME_HEADER_BYTES;
    let Ok(length) = u32::try_from(out.len() - payload) else {
        out.truncate(start);
        return false;
    };
    let payload_crc = crc32c::crc32c(&out[payload..]);
    let bytes = &mut out[start..payload];
    bytes[..4].copy_from_slice(&MARKER);
    bytes[8..12].copy_from_slice(&payload_crc.to_le_bytes());
    bytes[12..16].copy_from_slice(&length.to_le_bytes());
    bytes[16..20].copy_from_slice(&header.count.to_le_bytes());
    bytes[20] = header.kind;
    bytes[21] = header.flags;
    bytes[24..40].copy_from_slice(&header.owner);
    bytes[40..48].copy_from_slice(&header.seq.to_le_bytes());
    let crc = crc32c::crc32c(&bytes[8..]);
    bytes[4..8].copy_from_slice(&crc.to_le_bytes());
    true
}

/// The record at the beginning of `bytes`, if it is whole.
pub(crate) fn read_frame(bytes: &[u8]) -> Option<(FrameHeader, &[u8])> {
    let header = FrameHeader::read(bytes)?;
    let length = usize::try_from(header.length).ok()?;
    let payload = bytes.get(FRAME_HEADER_BYTES..FRAME_HEADER_BYTES.checked_add(length)?)?;
    header.matches(payload).then_some((header, payload))
}

/// Reads the bytes of the record that begins where `file` stands, as far as its header can be trusted.
pub(crate) fn read_record_bytes(file: &mut std::fs::File) -> std::io::Result<Vec<u8>> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    file.by_ref().take(FRAME_HEADER_BYTES as u64).read_to_end(&mut bytes)?;
    if let Some(header) = FrameHeader::read(&bytes) {
        file.by_ref().take(u64::from(header.length)).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}
