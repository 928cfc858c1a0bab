//! Runs with their truth in PostgreSQL, so that several processes on several machines drive them in turn.
//!
//! | table | what | owned by |
//! |---|---|---|
//! | `run_trees` | run trees, and who drives them | [`leases`] |
//! | | what lists show of them | [`listings`] |
//! | | how much of them was exported as spans | [`exports`] |
//! | `run_records`, `flow_documents`, `attachments` | what the files of a data directory have of a run | [`records`] |
//! | `run_requests` | what runs are asked to do | [`requests`] |
//! | `conversations`, `conversation_records` | conversations that trees continue one after the other | [`conversations`] |
//! | `bought_replies`, `reply_claims` | replies for other runs, and who buys one right now | [`replies`] |
//! | `tree_values`, `conversation_values` | which flows and attachments records name | [`retention`] |
//! | `workers` | the workers that are there, and the revisions of their engines | [`workers`] |
//!
//! What runs are writing is announced, and in no table: [`live_text`].
//!
//! A process drives a run tree under a lease, which has a number, its epoch. Whoever takes an expired lease over gets the next epoch, and
//! the database refuses records of an older one: two processes never write one journal, however late one of them notices.
//!
//! Each tenant has a schema of its own with these tables, and channels of its own: no statement here names a schema or a tenant, so
//! none reaches another one ([`Database::open`]).
//!
//! Time is the database's alone. Knows nothing of what records and requests mean.

pub mod codes;
mod conversations;
mod database;
mod exports;
mod leased_runs;
mod leases;
mod listings;
mod live_text;
mod notices;
mod records;
mod replies;
mod requests;
mod retention;
mod tenant_name;
mod topics;
mod workers;

pub use database::Database;
pub use leased_runs::LeasedRuns;
pub use leases::{DueTree, Lease, Rest, TreeClaim, WorkerId};
pub use listings::{ListedTree, Listing, TreeFilter};
pub use live_text::LiveText;
pub use notices::{Notice, Notices};
pub use requests::{Outcome, PendingRequest, TreeState};
pub use tenant_name::TenantName;
pub use topics::Topic;
pub use workers::NeededRevision;
