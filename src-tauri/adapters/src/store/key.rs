//! The keys of the database. One key space, divided by the first byte, so that one batch can change a journal and the
//! run index together.
//!
//! | space | then | value |
//! |---|---|---|
//! | journal | run, seq of its first entry | a segment of a journal |
//! | run | run | the run's record |
//! | run of flow | flow hash, run | nothing: that run ran that flow |
//! | child | parent run, run | nothing: that run began that run |
//! | flow | flow hash | the flow document as it ran |
//! | removing | run | nothing: that run is being removed |
//! | setting | name | a setting document |
//! | conversation | conversation | the conversation's record |
//! | message | conversation, place | a message of it |
//! | summary | conversation, how many places, run | a summary of its beginning, that run had it written |
//!
//! A run or a conversation is its UUID's 16 bytes, a seq or a place is 8 bytes big-endian, so that journals sort by seq,
//! messages by place and runs by their start.

use plait_engine::error::{ErrorCode, Fault};
use plait_engine::id::RunId;
use uuid::Uuid;

/// What a key's first byte says of it. As an enum, so that no two can be the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Space {
    Journal = b'j',
    Run = b'r',
    RunOfFlow = b'h',
    Child = b'p',
    Flow = b'f',
    Removing = b'x',
    Setting = b's',
    Conversation = b'c',
    Message = b'm',
    Summary = b'n',
}

/// A run as keys have it.
pub(super) type RunKey = [u8; 16];

/// The run's UUID. Fault `run.bad_id`.
pub(super) fn run(id: &RunId) -> Result<RunKey, Fault> {
    Uuid::try_parse(id.as_str()).map(Uuid::into_bytes).map_err(|_| {
        Fault::new(ErrorCode::RunBadId, format!("`{id}` is not a run's id."))
            .hint("Ids look like 0193e2a1-7c3b-7d52-9a41-3f2f7c6f1a10; `plait runs list` shows them.")
    })
}

/// The id a run key stands for.
pub(super) fn run_id(key: RunKey) -> RunId {
    Uuid::from_bytes(key).to_string().into()
}

/// A key of any space.
pub(super) fn of(space: Space, rest: &[u8]) -> Vec<u8> {
    let mut key = Vec::with_capacity(1 + rest.len());
    key.push(space as u8);
    key.extend_from_slice(rest);
    key
}

/// The key of the segment that begins with an entry.
pub(super) fn entry(run: RunKey, seq: u64) -> Vec<u8> {
    let mut key = of(Space::Journal, &run);
    key.extend_from_slice(&seq.to_be_bytes());
    key
}

/// The seq at the end of a segment's key, or the place at the end of a message's.
pub(super) fn seq_of(key: &[u8]) -> Option<u64> {
    key.last_chunk::<8>().map(|bytes| u64::from_be_bytes(*bytes))
}

/// The run at the end of a key.
pub(super) fn run_of(key: &[u8]) -> Option<RunKey> {
    key.last_chunk::<16>().copied()
}

/// The key that says a run began another.
pub(super) fn child_of(parent: RunKey, run: RunKey) -> Vec<u8> {
    let mut key = of(Space::Child, &parent);
    key.extend_from_slice(&run);
    key
}

/// The key that says a run ran a flow.
pub(super) fn run_of_flow(hash: &str, run: RunKey) -> Vec<u8> {
    let mut key = of(Space::RunOfFlow, hash.as_bytes());
    key.extend_from_slice(&run);
    key
}
