//! The commands, one file each: arguments, help text and execution.

pub(crate) mod cancel;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod conversations;
pub(crate) mod doctor;
pub(crate) mod export;
pub(crate) mod forecast;
pub(crate) mod grants;
pub(crate) mod keys;
pub(crate) mod knowledge;
pub(crate) mod lens;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod memory;
pub(crate) mod new;
pub(crate) mod nodes;
pub(crate) mod providers;
pub(crate) mod resume;
pub(crate) mod retry;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod schema;
pub(crate) mod tokens;
pub(crate) mod usage;
pub(crate) mod users;
