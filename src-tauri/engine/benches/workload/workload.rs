//! What the benchmarks run: flows of trivial nodes in a few shapes, the world around them, and one way to drive them.
//!
//! Shared by the benchmarks of this crate and of the adapters. Measures nothing itself.

#![allow(dead_code, unused_imports)] // Each benchmark uses some of it.

mod failure;
mod figures;
mod floor;
mod nodes;
mod shapes;
mod world;

pub use failure::{Failure, Wrong};
pub use figures::{Figures, is_asked_for};
pub use floor::floor;
pub use shapes::{Planned, Shape, planned, planned_to};
pub use world::{RUN, drive, first};
