//! The process that handles inputs: reads one after the other from standard input, and answers each with a hash of its
//! outcome. It limits its own memory, so that an input that asks for more ends it.
//!
//! An input is its length in four bytes and its bytes, an answer eight bytes; all numbers are little-endian.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, ErrorKind, Read as _, Write as _};

use anyhow::Context as _;

use crate::targets::Target;

/// The memory that handling inputs may take, beyond the memory of the process at its start.
#[cfg(target_os = "linux")]
const MAX_MEMORY_BYTES: u64 = 500 << 20;

/// Handles inputs until standard input ends.
pub(crate) fn serve(target: Target) -> anyhow::Result<()> {
    let mut handler = target.start()?;
    limit_memory();
    let (mut stdin, mut stdout) = (io::stdin().lock(), io::stdout().lock());
    loop {
        let mut length = [0; 4];
        match stdin.read_exact(&mut length) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(()),
            other => other.context("read the length of an input")?,
        }
        let mut input = vec![0; u32::from_le_bytes(length) as usize];
        stdin.read_exact(&mut input).context("read an input")?;
        let mut hasher = DefaultHasher::new();
        handler.handle(&input)?.hash(&mut hasher);
        stdout.write_all(&hasher.finish().to_le_bytes())?;
        stdout.flush()?;
    }
}

/// Counts data, not address space: threads reserve more of that than they use.
#[cfg(target_os = "linux")]
fn limit_memory() {
    use rustix::process::{Resource, Rlimit, setrlimit};

    let limit = |resource, bytes| {
        // A stricter limit that the process already has is as good.
        let _ = setrlimit(resource, Rlimit { current: Some(bytes), maximum: Some(bytes) });
    };
    limit(Resource::Core, 0);
    limit(Resource::Data, data_bytes().unwrap_or_default() + MAX_MEMORY_BYTES);
}

#[cfg(not(target_os = "linux"))]
fn limit_memory() {}

/// The size of the data of this process: the sixth number of `/proc/self/statm`, in pages.
#[cfg(target_os = "linux")]
fn data_bytes() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_whitespace().nth(5)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}
