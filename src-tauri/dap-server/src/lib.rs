//! Plait as a debug adapter: editors that speak the Debug Adapter Protocol run flows, stop, step, change values and go back.
//!
//! Everything is a command of the api, or a fold of the journals that it gives. A line of a flow's file is a node, a thread is an
//! activation with nothing inside of it, and a frame is what is around it: iteration, node, sub-flow.
//!
//! Nothing here gives grants, and a session begins nothing outside of the run that it was started for.

mod breakpoints;
pub mod codes;
mod console;
mod hits;
mod launch;
mod moments;
mod protocol;
mod server;
mod session;
mod sources;
mod stack;
mod tree;
mod variables;

pub use server::{DapListener, serve, serve_stdio};
