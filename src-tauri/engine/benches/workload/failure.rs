//! What goes wrong inside a measured part, which can give nothing back: the first of it, for the benchmark to end with.

use std::cell::RefCell;
use std::error::Error;

/// Anything that keeps a benchmark from going on.
pub type Wrong = Box<dyn Error>;

/// The first failure, if there is one.
#[derive(Default)]
pub struct Failure(RefCell<Option<Wrong>>);

impl Failure {
    /// The value, unless it failed.
    pub fn unless<T>(&self, result: Result<T, impl Into<Wrong>>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.0.borrow_mut().get_or_insert_with(|| error.into());
                None
            }
        }
    }

    /// How the benchmark ends: with the first failure, since figures of what failed are none.
    pub fn end(self) -> Result<(), Wrong> {
        self.0.into_inner().map_or(Ok(()), Err)
    }
}
