//! Starts the worker, feeds it inputs, and judges what becomes of them. An input that fails is saved with how to reproduce it.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

use crate::corpus::Corpus;
use crate::mutator::Mutator;
use crate::targets::Target;

/// How long one input may take. Where the system tells, only the time counts that the worker computes: a busy machine makes
/// any input slow.
const MAX_DURATION: Duration = Duration::from_secs(2);

/// The maximum time of an input on a busy machine.
const MAX_WAIT: Duration = Duration::from_secs(20);

/// How often an input that took too long is tried again, in a new process: other work of that process may have slowed it.
const HANG_RETRIES: usize = 3;

/// The exit code of a worker that cannot continue for a reason of this machine. A panic has another code.
const EXIT_CODE_OF_ERRORS: i32 = 1;

/// How long a worker may take to start.
const START_TIMEOUT: Duration = Duration::from_mins(1);

/// How often progress is printed.
const PROGRESS_INTERVAL: Duration = Duration::from_mins(1);

/// The number of findings that ends the search: most have one cause.
const MAX_FINDINGS: usize = 20;

/// The problem with an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    /// It ended the worker: by a panic, a signal, or memory that was not to be had.
    Crash,
    /// It took too long.
    Hang,
}

impl Failure {
    fn name(self) -> &'static str {
        match self {
            Self::Crash => "crash",
            Self::Hang => "hang",
        }
    }
}

/// When the search ends.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) duration: Duration,
    /// How many inputs are handled.
    pub(crate) inputs: u64,
}

/// Feeds the target inputs. Fails if there are findings.
pub(crate) fn run(target: Target, seed: u64, bounds: Bounds, findings: &Path) -> anyhow::Result<ExitCode> {
    let folder = findings.join(target.name());
    fs::create_dir_all(&folder).with_context(|| format!("create {}", folder.display()))?;
    let mut worker = Worker::start(target, &folder)?;
    let mut mutator = Mutator::new(seed, target.words());
    let mut corpus = Corpus::new(target.seeds()?);
    println!("{}: {} seeds, --seed {seed}", target.name(), corpus.inputs().len());
    let (start, mut printed) = (Instant::now(), Instant::now());
    let (mut count, mut found) = (0_u64, 0);
    let mut queue = corpus.inputs().to_vec();
    while start.elapsed() < bounds.duration && count < bounds.inputs && found < MAX_FINDINGS {
        let input = queue.pop().unwrap_or_else(|| corpus.next(&mut mutator));
        count += 1;
        match worker.handle(&input)? {
            Ok(outcome) => corpus.note(input, outcome, &mut mutator),
            Err(failure) => {
                let confirmed = worker.confirm(failure, &input)?;
                if let Some(failure) = confirmed {
                    found += 1;
                    worker.save(failure, &input)?;
                }
            }
        }
        if printed.elapsed() >= PROGRESS_INTERVAL {
            printed = Instant::now();
            println!("{}: {count} inputs, {} outcomes, {found} findings", target.name(), corpus.outcomes());
        }
    }
    println!(
        "{}: {count} inputs, {} outcomes, {found} findings in {:.0} s",
        target.name(),
        corpus.outcomes(),
        start.elapsed().as_secs_f64()
    );
    Ok(if found == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The worker of a target, restarted whenever an input has ended it.
struct Worker {
    target: Target,
    folder: PathBuf,
    process: Child,
    stdin: ChildStdin,
    outcomes: Receiver<u64>,
}

impl Worker {
    fn start(target: Target, folder: &Path) -> anyhow::Result<Self> {
        let stderr = File::create(folder.join("stderr.txt")).context("create stderr.txt")?;
        let mut process = Command::new(std::env::current_exe()?)
            .args([target.name(), "--worker"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr)
            .spawn()
            .context("start the worker")?;
        let (Some(stdin), Some(mut stdout)) = (process.stdin.take(), process.stdout.take()) else {
            bail!("the worker has no standard input or output");
        };
        let (sender, outcomes) = mpsc::channel();
        std::thread::spawn(move || {
            let mut outcome = [0; 8];
            while stdout.read_exact(&mut outcome).is_ok() && sender.send(u64::from_le_bytes(outcome)).is_ok()
            {
            }
        });
        let mut worker = Self { target, folder: folder.to_owned(), process, stdin, outcomes };
        // Until it has answered once, it is starting.
        if worker.send(&[], START_TIMEOUT, START_TIMEOUT).is_err() {
            bail!("the worker does not start; see {}", folder.join("stderr.txt").display());
        }
        Ok(worker)
    }

    /// What became of an input.
    fn handle(&mut self, input: &[u8]) -> anyhow::Result<Result<u64, Failure>> {
        let result = self.send(input, MAX_DURATION, MAX_WAIT);
        if let Err(failure) = result {
            if failure == Failure::Hang {
                // It may have ended meanwhile.
                let _ = self.process.kill();
            }
            let status = self.process.wait().context("wait for the worker")?;
            if status.code() == Some(EXIT_CODE_OF_ERRORS) {
                bail!("the worker cannot go on; see {}", self.folder.join("stderr.txt").display());
            }
            // The output belongs to this input.
            let report = self.folder.join(format!("last-{}.txt", failure.name()));
            fs::copy(self.folder.join("stderr.txt"), report).context("copy stderr.txt")?;
            let (target, folder) = (self.target, self.folder.clone());
            *self = Self::start(target, &folder)?;
        }
        Ok(result)
    }

    /// Sends an input and waits for its outcome, until the worker has computed for `timeout` or `most` has passed.
    fn send(&mut self, input: &[u8], timeout: Duration, most: Duration) -> Result<u64, Failure> {
        let (start, computed) = (Instant::now(), self.computed());
        let length = u32::try_from(input.len()).unwrap_or(u32::MAX).to_le_bytes();
        let written = self.stdin.write_all(&length).and_then(|()| self.stdin.write_all(input));
        written.and_then(|()| self.stdin.flush()).map_err(|_| Failure::Crash)?;
        loop {
            match self.outcomes.recv_timeout(timeout) {
                Ok(outcome) => return Ok(outcome),
                Err(RecvTimeoutError::Disconnected) => return Err(Failure::Crash),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let is_over = match (computed, self.computed()) {
                (Some(before), Some(now)) => now.saturating_sub(before) >= timeout,
                _ => true,
            };
            if is_over || start.elapsed() >= most {
                return Err(Failure::Hang);
            }
        }
    }

    /// For how long the worker has computed so far, where the system tells.
    fn computed(&self) -> Option<Duration> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.process.id())).ok()?;
        // Behind the name, which may hold anything: the 12th and 13th number, in hundredths of a second.
        let mut numbers = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
        let user: u64 = numbers.next()?.parse().ok()?;
        let system: u64 = numbers.next()?.parse().ok()?;
        Some(Duration::from_millis((user + system) * 10))
    }

    /// Tries an input again in new processes. A crash counts at once, a hang only if it happens each time.
    fn confirm(&mut self, failure: Failure, input: &[u8]) -> anyhow::Result<Option<Failure>> {
        if failure == Failure::Crash {
            return Ok(Some(Failure::Crash));
        }
        for _ in 0..HANG_RETRIES {
            match self.handle(input)? {
                Ok(_) => return Ok(None),
                Err(Failure::Crash) => return Ok(Some(Failure::Crash)),
                Err(Failure::Hang) => {}
            }
        }
        Ok(Some(Failure::Hang))
    }

    fn save(&self, failure: Failure, input: &[u8]) -> anyhow::Result<()> {
        let mut hasher = DefaultHasher::new();
        input.hash(&mut hasher);
        let path = self.folder.join(format!("{}-{:016x}", failure.name(), hasher.finish()));
        fs::write(&path, input).with_context(|| format!("write {}", path.display()))?;
        let report = self.folder.join(format!("last-{}.txt", failure.name()));
        fs::copy(report, path.with_extension("txt")).context("copy the worker's output")?;
        println!("{}: {} saved as {}", self.target.name(), failure.name(), path.display());
        println!("  reproduce it: cargo xtask fuzz {} --input {}", self.target.name(), path.display());
        Ok(())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
