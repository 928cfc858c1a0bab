//! Lines of standard input. A read can't be canceled: one that a prompt began and left goes on, and the next prompt takes its line over.

use std::io;
use std::sync::{Mutex, PoisonError};

use tokio::task::JoinHandle;

type Read = JoinHandle<io::Result<Option<String>>>;

/// The read that a prompt has left.
static LEFT: Mutex<Option<Read>> = Mutex::new(None);

/// A read that is left for the next prompt when it is dropped before its end.
struct Reading(Option<Read>);

impl Drop for Reading {
    fn drop(&mut self) {
        *LEFT.lock().unwrap_or_else(PoisonError::into_inner) = self.0.take();
    }
}

/// The next line with its end; nothing at the end of input.
pub(crate) async fn next_line() -> io::Result<Option<String>> {
    let left = LEFT.lock().unwrap_or_else(PoisonError::into_inner).take();
    let mut reading = Reading(Some(left.unwrap_or_else(|| tokio::task::spawn_blocking(read_line))));
    let Some(read) = &mut reading.0 else { return Ok(None) };
    let line = read.await;
    reading.0 = None;
    line.unwrap_or_else(|error| Err(io::Error::other(error)))
}

/// Forgets a line that was typed at a prompt that had ended already: it is no answer to the next one.
pub(crate) fn forget_typed() {
    let mut left = LEFT.lock().unwrap_or_else(PoisonError::into_inner);
    if left.as_ref().is_some_and(JoinHandle::is_finished) {
        *left = None;
    }
}

fn read_line() -> io::Result<Option<String>> {
    let mut line = String::new();
    let read = io::stdin().read_line(&mut line)?;
    Ok((read > 0).then_some(line))
}
