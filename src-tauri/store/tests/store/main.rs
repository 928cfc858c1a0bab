//! The store from outside: what was flushed is there, in order, whatever happened in between.

#![allow(clippy::disallowed_methods, clippy::expect_used, clippy::unwrap_used, clippy::panic)] // All of this is tests; helpers may fail them.

mod attachments;
mod crash;
mod damage;
mod full;
mod index;
mod journal;
mod ledger;
mod open;
mod rebuild;
mod run_database;
mod support;
mod tree_copies;
