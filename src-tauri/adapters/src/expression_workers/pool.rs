//! The pool's side: starts workers, hands evaluations to them, and ends those that take too much.

use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use parking_lot::Mutex;
use plait_engine::error::{ErrorCode, Fault};
use plait_engine::expression::evaluation::{Evaluation, Evaluator};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::Semaphore;

use super::WORKER_ARGUMENT;
use super::frame::{self, LENGTH_BYTES, Reply};

/// How long an evaluation may take. Its steps are bounded too; this is for what one step can do.
const EVALUATION_TIMEOUT: Duration = Duration::from_millis(1_500);
/// How long a worker may take to start, on a machine that is busy.
const START_TIMEOUT: Duration = Duration::from_secs(20);
/// The most workers at a time. More evaluations wait.
const MAX_WORKERS: usize = 4;

/// Workers of one executable. Clones share them. Needs a tokio runtime with I/O and time.
#[derive(Clone)]
pub struct WorkerPool(Arc<Pool>);

struct Pool {
    executable: PathBuf,
    /// Workers that wait for an evaluation.
    idle: Mutex<Vec<Worker>>,
    permits: Semaphore,
}

impl WorkerPool {
    /// A pool whose workers are `executable`, started with [`WORKER_ARGUMENT`]. Starts none yet.
    pub fn new(executable: impl Into<PathBuf>) -> Self {
        let executable = executable.into();
        Self(Arc::new(Pool { executable, idle: Mutex::default(), permits: Semaphore::new(MAX_WORKERS) }))
    }
}

impl Evaluator for WorkerPool {
    fn evaluate(&self, evaluation: Evaluation) -> BoxFuture<'static, Result<Value, Fault>> {
        let pool = Arc::clone(&self.0);
        Box::pin(async move { pool.evaluate(&evaluation).await })
    }
}

impl Pool {
    /// While this waits, the worker belongs to it alone; dropping it ends the worker.
    async fn evaluate(&self, evaluation: &Evaluation) -> Result<Value, Fault> {
        let request =
            frame::encode(evaluation).map_err(|_| limit("the value is too large for an expression"))?;
        // The semaphore is never closed.
        let _permit = self.permits.acquire().await.map_err(|error| unavailable(&error))?;
        let mut worker = match self.idle_worker() {
            Some(worker) => worker,
            None => Worker::start(&self.executable).await?,
        };
        match tokio::time::timeout(EVALUATION_TIMEOUT, worker.exchange(&request)).await {
            Ok(Ok(reply)) => {
                self.idle.lock().push(worker);
                reply.into()
            }
            Ok(Err(_)) => Err(limit("it takes too much memory")),
            Err(_) => Err(limit("it takes too long")),
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
    async fn start(executable: &PathBuf) -> Result<Self, Fault> {
        let mut child = Command::new(executable)
            .arg(WORKER_ARGUMENT)
            // It needs nothing of the environment, which may hold keys.
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| unavailable(&error))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(unavailable(&"its pipes are missing"));
        };
        let mut worker = Self { child: Mutex::new(child), input, output };
        match tokio::time::timeout(START_TIMEOUT, worker.read()).await {
            Ok(Ok(_)) => Ok(worker),
            Ok(Err(error)) => Err(unavailable(&error)),
            Err(_) => Err(unavailable(&"it did not start in time")),
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

fn limit(why: &str) -> Fault {
    Fault::new(ErrorCode::ExpressionLimit, format!("The expression was stopped: {why}."))
        .hint("Select less, shorten lists and texts first, or split the work over several nodes.")
}

fn unavailable(error: &dyn std::fmt::Display) -> Fault {
    Fault::new(
        ErrorCode::ExpressionUnavailable,
        format!("The worker process that evaluates expressions could not be started: {error}."),
    )
    .hint("Check that the machine has memory left, then retry the run.")
}
