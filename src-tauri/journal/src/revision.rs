//! The revision of the engine, which names the rules that a journal follows.

/// Raise it by one with every change after which the scheduler derives other events from the same causes, or a node asks
/// another question, so that runs recorded before may not be resumable. Then record new journals beside those in
/// `tests/fixtures/journals`; the old ones stay, and must resume or be refused as `journal.other_revision`.
pub const ENGINE_REVISION: u32 = 7;
