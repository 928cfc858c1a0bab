//! The workload of the benchmarks: flows of trivial nodes in a few shapes, their host, and a function that runs them.
//!
//! Shared by the benchmarks of this crate and the adapters. Measures nothing itself.

#![allow(dead_code, unused_imports)] // Each benchmark uses some of it.

mod figures;
mod first_error;
mod floor;
mod host;
mod nodes;
mod shapes;

pub use figures::{Figures, is_selected};
pub use first_error::{BenchError, FirstError};
pub use floor::floor;
pub use host::{
    RUN, SystemClock, comparable_events, drive, drive_with, drive_with_breakpoints, no_limits, run_info,
    started_event,
};
pub use nodes::registry_with_built_in;
pub use shapes::{PlannedFlow, Shape, plan_shape, plan_shape_to_last};
