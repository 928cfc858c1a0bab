//! The worker's side: reads jobs, writes their results.

use std::io::{self, Read, Write};
use std::process::ExitCode;
use std::thread;

use plait_core::expression::STACK_BYTES;

use super::frame::{self, LENGTH_BYTES, Reply};
use super::job::Job;
use super::limits;

/// Does the jobs that come from standard input until it ends. Returns the exit code of the process.
pub fn serve() -> ExitCode {
    limits::apply(STACK_BYTES);
    let serve = || answer_all(&mut io::stdin().lock(), &mut io::stdout().lock());
    let thread = thread::Builder::new().name("jobs".to_owned()).stack_size(STACK_BYTES).spawn(serve);
    match thread.map(thread::JoinHandle::join) {
        Ok(Ok(Ok(()))) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

fn answer_all(input: &mut impl Read, output: &mut impl Write) -> io::Result<()> {
    // Says that the worker is ready: starting it takes longer than most jobs.
    write(output, &Reply::Value(serde_json::Value::Null))?;
    let mut length = [0; LENGTH_BYTES];
    loop {
        match input.read_exact(&mut length) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(error),
        }
        let mut bytes = vec![0; frame::decode_length(length)?];
        input.read_exact(&mut bytes)?;
        let job: Job = frame::decode(&bytes)?;
        drop(bytes);
        limits::limit_processor_time(job.time_limit());
        write(output, &Reply::from(job.execute()))?;
    }
}

fn write(output: &mut impl Write, reply: &Reply) -> io::Result<()> {
    output.write_all(&frame::encode(reply)?)?;
    output.flush()
}
