//! The pool's side: starts workers, hands jobs to them, and ends workers that exceed a limit.

use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use parking_lot::Mutex;
use plait_core::error::Fault;
use plait_core::expression::evaluation::{Evaluation, Evaluator};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::Semaphore;

use super::WORKER_ARGUMENT;
use super::frame::{self, LENGTH_BYTES, Reply};
use super::job::Job;
use super::limits;
use super::stopped::Stopped;

/// How long a worker may take to start, on a machine that is busy.
const START_TIMEOUT: Duration = Duration::from_secs(20);
/// The most workers of a pool at a time. More jobs wait.
const MAX_WORKERS: usize = 4;

/// Workers of one executable. Clones share them. Needs a tokio runtime with I/O and time.
///
/// Jobs of different kinds should have pools of their own, so that slow ones do not hold up quick ones.
#[derive(Clone)]
pub struct WorkerPool(Arc<Pool>);

struct Pool {
    executable: PathBuf,
    /// Workers that wait for a job.
    idle: Mutex<Vec<Worker>>,
    permits: Semaphore,
}

impl WorkerPool {
    /// A pool with workers that are `executable`, started with [`WORKER_ARGUMENT`]. Starts none yet.
    pub fn new(executable: impl Into<PathBuf>) -> Self {
        let executable = executable.into();
        Self(Arc::new(Pool { executable, idle: Mutex::default(), permits: Semaphore::new(MAX_WORKERS) }))
    }

    /// The result of a job. Dropping the future ends the worker. Faults are those of the job.
    pub async fn execute(&self, job: &Job) -> Result<Value, Fault> {
        self.0.execute(job).await
    }
}

impl Evaluator for WorkerPool {
    fn evaluate(&self, evaluation: Evaluation) -> BoxFuture<'static, Result<Value, Fault>> {
        let pool = self.clone();
        Box::pin(async move { pool.execute(&Job::Evaluate(evaluation)).await })
    }
}

impl Pool {
    /// While this waits, the worker belongs to it alone; dropping it ends the worker.
    async fn execute(&self, job: &Job) -> Result<Value, Fault> {
        let request = frame::encode(job).map_err(|_| job.stopped(Stopped::InputTooLarge))?;
        // The semaphore is never closed.
        let _permit = self.permits.acquire().await.map_err(|error| job.unavailable(&error))?;
        let mut worker = match self.idle_worker() {
            Some(worker) => worker,
            None => Worker::start(&self.executable).await.map_err(|error| job.unavailable(&error))?,
        };
        // The worker ends itself when it has computed for too long. This is for one that gets no processor.
        let limit = job.time_limit() * limits::CLOCK_FACTOR;
        match tokio::time::timeout(limit, worker.exchange(&request)).await {
            Ok(Ok(reply)) => {
                self.idle.lock().push(worker);
                reply.into()
            }
            Ok(Err(_)) => Err(job.stopped(worker.why_ended().await)),
            Err(_) => Err(job.stopped(Stopped::Time)),
        }
    }

    fn idle_worker(&self) -> Option<Worker> {
        let mut idle = self.idle.lock();
        // One may have been ended from outside meanwhile.
        std::iter::from_fn(|| idle.pop()).find(Worker::is_running)
    }
}

/// A worker process. Dropping it ends the process.
struct Worker {
    child: Mutex<Child>,
    input: ChildStdin,
    output: ChildStdout,
}

impl Worker {
    async fn start(executable: &PathBuf) -> io::Result<Self> {
        let mut child = Command::new(executable)
            .arg(WORKER_ARGUMENT)
            // It needs nothing of the environment, which may hold keys.
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("its pipes are missing"));
        };
        let mut worker = Self { child: Mutex::new(child), input, output };
        match tokio::time::timeout(START_TIMEOUT, worker.read()).await {
            Ok(Ok(_)) => Ok(worker),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "it did not start in time")),
        }
    }

    /// Why the worker ended without being stopped.
    async fn why_ended(self) -> Stopped {
        let mut child = self.child.into_inner();
        // Where it has not ended after all.
        let _ = child.start_kill();
        match child.wait().await {
            Ok(status) if limits::has_used_up_its_time(status) => Stopped::Time,
            _ => Stopped::Memory,
        }
    }

    fn is_running(&self) -> bool {
        matches!(self.child.lock().try_wait(), Ok(None))
    }

    async fn exchange(&mut self, request: &[u8]) -> io::Result<Reply> {
        self.input.write_all(request).await?;
        self.input.flush().await?;
        self.read().await
    }

    async fn read(&mut self) -> io::Result<Reply> {
        let mut length = [0; LENGTH_BYTES];
        self.output.read_exact(&mut length).await?;
        let mut bytes = vec![0; frame::decode_length(length)?];
        self.output.read_exact(&mut bytes).await?;
        frame::decode(&bytes)
    }
}
