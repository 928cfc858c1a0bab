//! `plait record`.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitStatus as ProgramStatus;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use futures::{Stream, StreamExt as _};
use plait_api::runs::{GetExchanges, KeepProgram, KeptProgram, PROGRAMS_FOLDER};
use plait_api::{Connection, ErrorReply};
use plait_core::error::Fault;
use plait_core::id::RunId;
use plait_recorder::endpoint::{Answers, Endpoint};
use plait_recorder::exchange::{Line, LogWriter, Recorded};
use plait_recorder::replay::Library;
use plait_recorder::upstream::{Upstream, VENDORS, Vendor};
use tokio::process::{Child, Command};

use super::runs::{find, write_draft};
use crate::codes;
use crate::ctrl_c::CtrlC;
use crate::environment;
use crate::exit::{CliError, ExitStatus, warning_text};
use crate::open_app::{self, Home};
use crate::terminal::print_error;

/// What a shell reports of a program that a signal ended: this and the number of the signal.
const SIGNAL_EXIT_BASE: i32 = 128;

/// A program that can set the base URL of its model server is recorded as it is. The command gets `OPENAI_BASE_URL`, `ANTHROPIC_BASE_URL`,
/// `GOOGLE_GEMINI_BASE_URL`, `OLLAMA_HOST` and their siblings, which lead to a local endpoint. That forwards each request to where the
/// variable led before, or to the vendor, and streams the response back. Keys pass through and are never stored. What was sent and received
/// becomes a run, with a flow that is a first draft of what the program did. The exit code is that of the command.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plait record -- python agent.py
  plait record --draft agent.flow.json -- npm start
  plait record --upstream openai=http://127.0.0.1:8000/v1 -- ./agent
  plait record --replay last -- python agent.py     Answer from the recording, without network
  plait lens show last                              See what the program sent")]
pub(crate) struct RecordArgs {
    /// What people call the run. By default, the name of the command.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Where requests of a vendor's packages go, as NAME=URL; NAME is `openai`, `anthropic`, `gemini` or `ollama`. Repeatable.
    #[arg(long = "upstream", value_name = "NAME=URL")]
    upstreams: Vec<String>,
    /// Write the first draft of a flow to this file; it must not exist.
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    draft: Option<PathBuf>,
    /// Answer from what was recorded in this run, byte for byte, and ask nobody: its ID, a unique prefix of it, or `last`.
    #[arg(long, value_name = "RUN", conflicts_with = "upstreams")]
    replay: Option<String>,
    /// The command and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

pub(crate) async fn execute(home: &Home, args: RecordArgs) -> Result<ExitStatus, CliError> {
    match &args.replay {
        Some(run) => replay(home, run, &args.command).await,
        None => record(home, args).await,
    }
}

async fn record(home: &Home, args: RecordArgs) -> Result<ExitStatus, CliError> {
    if let Some(file) = args.draft.as_deref().filter(|file| file.exists()) {
        let message = format!("The file {} exists already.", file.display());
        return Err(ErrorReply::new(codes::USAGE_INPUT, message)
            .hint("Name another one for the draft.")
            .into());
    }
    let upstreams = upstreams(&args.upstreams)?;
    let command: Vec<String> = args.command.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let name = args.name.unwrap_or_else(|| name_of(&command));
    let folder = home.path.join(PROGRAMS_FOLDER);
    create_folder(&folder)?;
    let log_name = format!("{}-{}.jsonl", now_ms(), std::process::id());
    let log_path = folder.join(&log_name);
    let run = RunId::from(uuid::Uuid::now_v7().to_string());
    let log = Arc::new(LogWriter::create(&log_path, now_ms(), run, name, command)?);
    let ended = run_command(upstreams, Answers::Forwarded, &log, &args.command).await;
    let code = ended.as_ref().map(|(code, _)| *code).ok();
    if let Some(code) = code {
        log.add(Line::Exit { at: now_ms(), code });
    }
    let written = log.close();
    let (code, _) = match ended {
        Ok(ended) => ended,
        Err(fault) => {
            // Nothing was recorded. If the file stays, the next list of runs removes it.
            let _ = std::fs::remove_file(&log_path);
            return Err(fault.into());
        }
    };
    if let Err(fault) = written {
        print_error(&warning_text(&fault));
    }
    match keep(home, &log_name).await {
        Ok(kept) => {
            report(&kept);
            if let Some(file) = &args.draft {
                write_draft(&kept.flow, file)?;
                print_error(&format!("Wrote {0}. Check it: plait check {0}\n", file.display()));
            }
        }
        Err(error) => {
            let is_empty = error.code == codes::RECORD_NO_CALLS;
            print_error(&warning_text(&Fault::new(error.code.clone(), error.message.clone())));
            if let Some(hint) = &error.hint {
                print_error(&format!("  {hint}\n"));
            }
            if is_empty {
                let _ = std::fs::remove_file(&log_path);
            } else {
                print_error(&format!(
                    "  What was recorded is in {}. The next list of runs has it.\n",
                    log_path.display()
                ));
            }
        }
    }
    Ok(ExitStatus::Program(exit_code(code)))
}

async fn keep(home: &Home, log: &str) -> Result<KeptProgram, ErrorReply> {
    let app = open_app::for_writing(home).await?;
    let kept = app.call(KeepProgram { log: log.to_owned() }).await;
    app.close().await?;
    kept
}

fn report(kept: &KeptProgram) {
    let calls = if kept.calls == 1 {
        "1 call of a model".to_owned()
    } else {
        format!("{} calls of models", kept.calls)
    };
    let mut text = format!("Recorded {calls} as run {}\n", kept.run);
    for note in &kept.notes {
        // Writing to a String does not fail.
        let _ = writeln!(text, "  note: {note}");
    }
    text.push_str("See what was sent: plait lens show last\n");
    print_error(&text);
}

async fn replay(home: &Home, run: &str, command: &[OsString]) -> Result<ExitStatus, CliError> {
    let app = open_app::for_reading(home).await?;
    let exchanges = exchanges_of(&app, run).await;
    app.close().await?;
    let recorded = Recorded::read(exchanges?.as_bytes())?;
    let servers = VENDORS
        .iter()
        .map(|vendor| Upstream { name: vendor.name.to_owned(), base_url: vendor.base_url.to_owned() });
    let answers = Answers::Recorded(Library::new(recorded.exchanges));
    let log = Arc::new(LogWriter::nowhere());
    let (code, misses) = run_command(servers.collect(), answers, &log, command).await?;
    for miss in &misses {
        print_error(&warning_text(miss));
    }
    Ok(ExitStatus::Program(exit_code(code)))
}

async fn exchanges_of(app: &Connection, run: &str) -> Result<String, ErrorReply> {
    let run = find(app, run).await?;
    app.call(GetExchanges { run }).await
}

/// Runs the command with the endpoint, to its end. Returns its exit code and what was asked for in vain.
async fn run_command(
    upstreams: Vec<Upstream>,
    answers: Answers,
    log: &Arc<LogWriter>,
    command: &[OsString],
) -> Result<(i32, Vec<Fault>), Fault> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(Fault::new(codes::RECORD_COMMAND, "There is no command to record."));
    };
    let endpoint = Endpoint::listen(upstreams, answers, Arc::clone(log)).await?;
    let failed = |error: std::io::Error| {
        let message = format!("The command `{}` cannot be started: {error}.", program.to_string_lossy());
        Fault::new(codes::RECORD_COMMAND, message)
            .hint("Check its name and that it can be executed. What follows `--` is the command with its arguments.")
    };
    // From here on, Ctrl+C ends the command, and the recording with it.
    let mut ctrl_c = CtrlC::listen().map_err(failed)?;
    let mut terminations = terminations().map_err(failed)?;
    let variables = endpoint.variables().into_iter().map(|(name, value)| {
        // What is reached directly already still is.
        let before = environment::variable(&name).filter(|_| name.eq_ignore_ascii_case("no_proxy"));
        (name, before.into_iter().chain([value]).collect::<Vec<_>>().join(","))
    });
    let mut child = Command::new(program).args(arguments).envs(variables).spawn().map_err(failed)?;
    let status = loop {
        tokio::select! {
            status = child.wait() => break status.map_err(failed)?,
            () = ctrl_c.pressed() => forward_interrupt(&child),
            Some(()) = terminations.next() => forward(&child, true),
        }
    };
    let misses = endpoint.misses();
    endpoint.close().await;
    Ok((code_of(status), misses))
}

/// A terminal sends Ctrl+C to the command as well.
fn forward_interrupt(child: &Child) {
    if !std::io::stdin().is_terminal() {
        forward(child, false);
    }
}

#[cfg(unix)]
fn forward(child: &Child, ends: bool) {
    use rustix::process::{Pid, Signal, kill_process};
    let signal = if ends { Signal::TERM } else { Signal::INT };
    let id = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    if let Some(id) = id {
        // One that has ended needs no signal.
        let _ = kill_process(id, signal);
    }
}

#[cfg(not(unix))]
fn forward(_: &Child, _: bool) {}

/// Yields whenever this process is asked to end.
#[cfg(unix)]
fn terminations() -> std::io::Result<impl Stream<Item = ()> + Unpin> {
    let mut signal = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    Ok(futures::stream::poll_fn(move |context| signal.poll_recv(context)))
}

#[cfg(not(unix))]
fn terminations() -> std::io::Result<impl Stream<Item = ()> + Unpin> {
    Ok(futures::stream::pending())
}

#[cfg(unix)]
fn code_of(status: ProgramStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt as _;
    status.code().or_else(|| Some(SIGNAL_EXIT_BASE + status.signal()?)).unwrap_or(SIGNAL_EXIT_BASE)
}

#[cfg(not(unix))]
fn code_of(status: ProgramStatus) -> i32 {
    status.code().unwrap_or(SIGNAL_EXIT_BASE)
}

fn exit_code(code: i32) -> u8 {
    // Systems keep the lowest byte.
    u8::try_from(code & 0xff).unwrap_or(u8::MAX)
}

/// Where requests go: as the arguments say, else as the environment does.
fn upstreams(given: &[String]) -> Result<Vec<Upstream>, Fault> {
    let given: Vec<Upstream> = given.iter().map(|text| Upstream::parse(text)).collect::<Result<_, _>>()?;
    let of_vendor = |vendor: &Vendor| match given.iter().find(|one| one.name == vendor.name) {
        Some(upstream) => Ok(upstream.clone()),
        None => Upstream::of_vendor(vendor, environment::variable),
    };
    VENDORS.iter().map(of_vendor).collect()
}

/// The file names of the program and of its first argument that is a file.
fn name_of(command: &[String]) -> String {
    let file_name =
        |part: &String| Path::new(part).file_name().map(|name| name.to_string_lossy().into_owned());
    let program = command.first().and_then(file_name).unwrap_or_default();
    let script = command.iter().skip(1).find(|part| Path::new(part).is_file()).and_then(file_name);
    match script {
        Some(script) => format!("{program} {script}"),
        None => program,
    }
}

fn create_folder(folder: &Path) -> Result<(), ErrorReply> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| {
        ErrorReply::new(
            codes::RECORD_LOG,
            format!("The folder {} cannot be created: {error}.", folder.display()),
        )
    })
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
