//! Plans and checks of flows of real node types.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by them")]

mod context_names;
mod quota_branches;
mod unused_settings;
