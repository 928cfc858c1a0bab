//! The causes of an error of an HTTP client. The outermost error says only that a request failed, and repeats its URL with the query,
//! which may hold data.

use std::error::Error;

use plait_core::error::{Cause, Fault};

/// The causes of an error, the innermost last.
pub(crate) fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(error.source(), |&error| error.source())
}

/// The text of the innermost cause, which names the reason.
pub(crate) fn innermost_cause(error: &reqwest::Error) -> String {
    causes(error).last().map_or_else(|| "no connection".to_owned(), ToString::to_string)
}

pub(crate) fn with_causes(fault: Fault, error: &reqwest::Error) -> Fault {
    match error.source() {
        Some(source) => fault.caused_by(Cause::of(source)),
        None => fault,
    }
}
