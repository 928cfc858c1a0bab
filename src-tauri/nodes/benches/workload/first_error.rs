//! Errors inside of a measured closure, which cannot return them: the first one is reported when the benchmark ends.

use std::cell::RefCell;
use std::error::Error;

/// Why a benchmark failed.
pub type BenchError = Box<dyn Error>;

/// The first error, if any.
#[derive(Default)]
pub struct FirstError(RefCell<Option<BenchError>>);

impl FirstError {
    /// The value of `result`. Stores the error if it is the first.
    pub fn capture<T>(&self, result: Result<T, impl Into<BenchError>>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.0.borrow_mut().get_or_insert_with(|| error.into());
                None
            }
        }
    }

    pub fn into_result(self) -> Result<(), BenchError> {
        self.0.into_inner().map_or(Ok(()), Err)
    }
}
