//! The one form of all append-only files: a header, then framed records, each with its length, its checksums and whom it
//! belongs to. A record that fails its check is skipped and named; those behind it are found again.
//!
//! ```text
//! header (32 bytes)  "PLAITLOG" · version u16 · kind u8 · flags u8 · id [16] · CRC-32C of the bytes before
//! record             marker FF 50 4C FE · header CRC · payload CRC · length u32 · count u32 · kind u8 · flags u8 · 0 u16
//!                    · owner [16] · seq u64 · payload
//! ```
//!
//! Numbers are little-endian. The header CRC covers the 40 bytes behind it, so a length is trusted before the payload
//! is read, and a damaged payload is known by its owner and seq. Refuses to know what payloads mean.

mod appender;
mod frame;
mod scanner;

pub(crate) use appender::LogAppender;
pub(crate) use frame::{
    FILE_HEADER_BYTES, FileHeader, FileKind, FrameHeader, begin_frame, end_frame, read_frame,
    read_record_bytes,
};
pub(crate) use scanner::{Damage, Item, OpenError, Scanner};

/// The newest version of the form that this program reads, and the one it writes.
pub(crate) const VERSION: u16 = 1;

/// The id of a run, a conversation or a run tree in binary: its UUID.
pub(crate) type Key = [u8; 16];

#[cfg(test)]
mod tests;
