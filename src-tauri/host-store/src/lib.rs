//! Runs with their truth in PostgreSQL, so that several processes on several machines drive them in turn.
//!
//! | table | what | owned by |
//! |---|---|---|
//! | `run_trees` | run trees, and who drives them | [`leases`] |
//! | `run_records`, `flow_documents`, `attachments` | what the files of a data directory have of a run | [`records`] |
//! | `run_requests` | what runs are asked to do | [`requests`] |
//!
//! A process drives a run tree under a lease, which has a number, its epoch. Whoever takes an expired lease over gets the next epoch, and
//! the database refuses records of an older one: two processes never write one journal, however late one of them notices.
//!
//! Time is the database's alone. Knows nothing of what records and requests mean.

pub mod codes;
mod database;
mod leased_runs;
mod leases;
mod notices;
mod records;
mod requests;

pub use database::Database;
pub use leased_runs::LeasedRuns;
pub use leases::{Lease, Rest};
pub use notices::{Notice, Notices};
pub use requests::{Outcome, PendingRequest, TreeState};
