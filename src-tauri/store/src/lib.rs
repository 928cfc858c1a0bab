//! The store: the data directory, in files that can be read, copied and checked one by one.
//!
//! | what | where |
//! |---|---|
//! | journals of a run and its child runs | `runs/<year>-<month>/<run>.journal` ([`tree`]) |
//! | conversations | `conversations/<id>.journal` ([`conversation`]) |
//! | what each run has spent, also after it was removed | `spending.log` ([`ledger`]) |
//! | images and files of messages | `attachments/<first two digits>/<hash>` ([`attachments`]) |
//! | users' long-term memories | `memory/<hash of the user's name>.log` ([`memories`]) |
//! | results of tests | `tests/<hash of the suite's path>.jsonl` ([`test_results`]) |
//! | grades of results | `tests/<hash of the suite's path>.grades.jsonl` |
//! | edits of flows that agents propose | `proposals/<hash of the ID>.json` ([`proposals`]) |
//! | the derived index: lists of runs and conversations, reply keys | the database `index`, rebuilt when it is gone ([`index`]) |
//! | the checksums of settings, users, grants, MCP servers and their tools, and of the ledger, by which changes from outside are noticed | `checksums.json` ([`checksums`]) |
//! | flows as they ran, settings, recent flows, token calibration, drafts, templates, MCP servers, users, which replies are forgotten | one JSON file each ([`documents`], [`drafts`], [`templates`], [`users`], [`forgotten_replies`]) |
//!
//! The process that writes a data directory may listen for others at `owner/owner.sock` ([`owner_socket`]).
//!
//! Journals and conversations are append-only and checked record by record ([`log_file`]). One process writes a data
//! directory at a time; others read it. All methods block, but at most for a few milliseconds of disk access, except
//! [`Store::flush`] and a journal's `flush`, which are async. Does not run flows or read their files.

pub mod atomic_file;
mod attachments;
mod checksums;
pub mod codes;
pub mod conversation;
mod database_disk;
mod disk;
pub mod doctor;
mod document_files;
mod documents;
mod drafts;
mod fault;
pub mod flow_files;
mod forgotten_replies;
mod hashes_in_texts;
mod index;
mod journal;
mod journal_reader;
mod large_value;
mod ledger;
mod ledger_prefix;
mod log_file;
mod memories;
mod observed;
mod open;
pub mod owner_socket;
pub mod private_files;
mod proposals;
pub mod record;
mod record_index;
mod recovery;
mod run_database;
mod run_index;
mod shared;
mod store;
mod store_core;
mod stored_lines;
mod templates;
mod test_results;
mod tree;
mod tree_summary;
mod users;
mod visit_records;
mod writer;

pub use checksums::GuardedDocument;
pub use conversation::{ConversationFilter, ConversationFork, NewConversation, StoredConversation};
pub use documents::RecentFlow;
pub use drafts::Draft;
pub use forgotten_replies::ForgottenReplies;
pub use hashes_in_texts::hashes_in;
pub use journal::RunJournal;
pub use journal_reader::JournalEntries;
pub use ledger::RunSpending;
pub use memories::{KeptMemories, MAX_MEMORIES, MemoryBranch, MemoryList};
pub use observed::ObservedChange;
pub use proposals::{MAX_PROPOSALS, Proposal};
pub use recovery::Progress;
pub use run_database::{RunDatabase, TreeRecord, WantedReply};
pub use run_index::{RunFilter, Which};
pub use store::{KeptRun, Store, StoredTree};
pub use stored_lines::StoredLines;
pub use templates::Template;
pub use users::UserList;
