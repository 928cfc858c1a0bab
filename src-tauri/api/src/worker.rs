//! The other role of an application's executable: a worker process, which does what nobody can bound from outside.

use std::ffi::OsStr;
use std::process::ExitCode;

use plait_adapters::workers::{WORKER_ARGUMENT, serve};

/// Does jobs until standard input ends, if this process was started for that. `main` must begin with it and end
/// with its result, if there is one.
pub fn serve_if_worker() -> Option<ExitCode> {
    let is_worker = std::env::args_os().nth(1).as_deref() == Some(OsStr::new(WORKER_ARGUMENT));
    is_worker.then(serve)
}
