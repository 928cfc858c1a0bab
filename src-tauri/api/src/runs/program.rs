//! `program.*`: programs that Plait did not run, as runs: from the log of a recorder, or from traces. The run is of a flow that is a first
//! draft of what was observed, and its journal is written by the driver like any other.
//!
//! While a program is recorded, [`logs`] shows what its log amounts to so far; the run is written when the log is whole.

mod logs;
mod observed;

use std::fs;
use std::path::{Path, PathBuf};

use plait_core::attachment::{Attachment, AttachmentStore as _, TEXT};
use plait_core::error::Fault;
use plait_core::flow::Flow;
use plait_core::hash::content_hash;
use plait_core::id::RunId;
use plait_journal::{Event, Journal as _, ProgramRef, RunEvent};
use plait_recorder::exchange::{MAX_LOG_BYTES, Recorded};
use plait_recorder::otlp;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::program_logs::KeptProgram;
use super::service::RunService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::command::Command;
use crate::flows::text::recorded_flow;

use observed::{Observed, ObservedJournal};

/// The folder of the data directory with the logs of programs that are being recorded.
pub const PROGRAMS_FOLDER: &str = "programs";

/// `program.keep`: makes a run of the log of a recorder, which is in the data directory, and removes the log. `record.log`,
/// `record.no_calls`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct KeepProgram {
    /// The name of the log's file.
    pub log: String,
}

impl Command for KeepProgram {
    const NAME: &'static str = "program.keep";
    type Service = RunService;
    type Reply = KeptProgram;

    async fn run(self, service: &RunService) -> Result<KeptProgram, ErrorReply> {
        // A name, so that nothing elsewhere is read.
        let is_name = self.log.chars().all(|char| char.is_ascii_alphanumeric() || "-._".contains(char));
        let path = service.programs_folder().join(&self.log);
        if !is_name {
            return Err(unreadable(&path, "that is no name of a log"));
        }
        service.keep_log(path).await
    }
}

/// `program.import_traces`: makes a run of the model calls in traces. `traces.form`, `traces.no_calls`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ImportTraces {
    /// OTLP in JSON: one object, or one in each line.
    pub text: String,
    /// What people call the run. By default, the name of the service or of the outermost agent.
    #[serde(default)]
    #[ts(optional)]
    pub name: Option<String>,
}

impl Command for ImportTraces {
    const NAME: &'static str = "program.import_traces";
    type Service = RunService;
    type Reply = KeptProgram;

    async fn run(self, service: &RunService) -> Result<KeptProgram, ErrorReply> {
        let known = service.parts.providers.table().settings();
        let redaction = service.parts.providers.keys().redaction_with_stored_keys().await;
        let traces = run_blocking(move || {
            // Others may have written keys into what they trace.
            let text = redaction.text(&self.text);
            Ok((otlp::read(&text, |name| known.contains_key(name))?, self.name))
        });
        let (traces, name) = traces.await?;
        let name = name.or(traces.name).unwrap_or_else(|| "Traces".to_owned());
        let said = format!("First draft of what `{name}` did, from traces.");
        let program = ProgramRef { notes: traces.notes, ..ProgramRef::default() };
        let observed = Observed { name, said, program, calls: traces.calls, is_whole: true };
        Ok(service.keep_observed(new_run(), observed).await?.program)
    }
}

/// `program.draft`: the flow that was drafted of a recorded program. `run.unknown`, `record.not_a_program`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct DraftProgram {
    pub run: RunId,
}

impl Command for DraftProgram {
    const NAME: &'static str = "program.draft";
    type Service = RunService;
    type Reply = Flow;

    async fn run(self, service: &RunService) -> Result<Flow, ErrorReply> {
        let store = service.parts.store.clone();
        run_blocking(move || {
            let record = store.run(&self.run)?;
            if record.program.is_none() {
                return Err(not_a_program(&self.run));
            }
            recorded_flow(&store, &record.flow.hash)
        })
        .await
    }
}

/// `program.exchanges`: what a recorded program exchanged with model servers, as the log of its recorder. `run.unknown`,
/// `record.not_a_program`, `attachment.missing`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct GetExchanges {
    pub run: RunId,
}

impl Command for GetExchanges {
    const NAME: &'static str = "program.exchanges";
    type Service = RunService;
    type Reply = String;

    async fn run(self, service: &RunService) -> Result<String, ErrorReply> {
        if let Some(log) = service.program_logs.of_run(&self.run) {
            let (_, bytes) = read_log(log).await?;
            return Ok(String::from_utf8_lossy(&bytes).into_owned());
        }
        let (store, run) = (service.parts.store.clone(), self.run.clone());
        let first = run_blocking(move || Ok(store.read_journal(&run, 0)?.next().transpose()?)).await?;
        let exchanges = match first.map(|entry| entry.event) {
            Some(Event::Run(RunEvent::Started { program: Some(program), .. })) => program.exchanges,
            _ => None,
        };
        let exchanges = exchanges.ok_or_else(|| not_a_program(&self.run))?;
        let bytes = service.parts.store.get(&exchanges.hash).await?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

impl RunService {
    /// Makes a run of a log, and removes the log.
    async fn keep_log(&self, path: PathBuf) -> Result<KeptProgram, ErrorReply> {
        let _one_at_a_time = self.resume_lock.lock().await;
        if let Some(kept) = self.program_logs.take_kept(&path) {
            return Ok(kept);
        }
        let (recorded, bytes) = read_log(path.clone()).await?;
        let exchanges = Attachment {
            hash: content_hash(&bytes).into(),
            media_type: TEXT.to_owned(),
            name: "exchanges.jsonl".to_owned(),
            bytes: bytes.len() as u64,
            width: None,
            height: None,
            pages: None,
            data: None,
        };
        let observed = self.observed_in(&recorded, Some(exchanges.clone())).await?;
        let (run, store) = (recorded.run.unwrap_or_else(new_run), &self.parts.store);
        // What was shown of it until now is not what is kept, nor what a crash left of it.
        store.forget_observed(&run)?;
        if store.run(&run).is_ok_and(|record| record.program.is_some()) {
            store.remove_run(&run)?;
        }
        store.put(&exchanges.hash, bytes.into()).await?;
        let kept = self.keep_observed(run.clone(), observed).await?;
        self.program_logs.forget(&path);
        self.redraft(&run, kept.events);
        self.active.announce_change();
        fs::remove_file(&path).map_err(|error| unreadable(&path, &error.to_string()))?;
        Ok(kept.program)
    }

    /// Writes the run of what was observed.
    async fn keep_observed(&self, run: RunId, observed: Observed) -> Result<Kept, ErrorReply> {
        let (service, host) = (self.clone(), self.host_of_observed(&run));
        let kept = run_blocking(move || {
            let played = service.play_observed(&run, host, observed)?;
            let store = &service.parts.store;
            store.put_flow(&played.document)?;
            store.journal(&run)?.append(&played.entries)?;
            service.parts.calibration.record_events(&played.entries);
            let ObservedJournal { entries, flow, calls, notes, .. } = played;
            Ok(Kept { program: KeptProgram { run, calls, notes, flow }, events: entries.len() as u64 })
        });
        let kept = kept.await?;
        self.parts.store.flush().await?;
        Ok(kept)
    }
}

/// A run that was written.
struct Kept {
    program: KeptProgram,
    events: u64,
}

fn new_run() -> RunId {
    RunId::from(uuid::Uuid::now_v7().to_string())
}

/// The content of a log, and its bytes.
async fn read_log(path: PathBuf) -> Result<(Recorded, Vec<u8>), ErrorReply> {
    run_blocking(move || {
        let size = fs::metadata(&path).map_err(|error| unreadable(&path, &error.to_string()))?.len();
        if size > MAX_LOG_BYTES {
            return Err(unreadable(&path, "it is larger than 1 GB"));
        }
        let bytes = fs::read(&path).map_err(|error| unreadable(&path, &error.to_string()))?;
        Ok((Recorded::read(&bytes[..])?, bytes))
    })
    .await
}

fn no_calls(recorded: &Recorded) -> ErrorReply {
    let message = match recorded.exchanges.len() {
        0 => format!("`{}` called no model server through Plait.", recorded.command.join(" ")),
        count => {
            format!("`{}` sent {count} requests, and none is a call of a model.", recorded.command.join(" "))
        }
    };
    ErrorReply::from(Fault::new(codes::RECORD_NO_CALLS, message).hint(
        "Check that the program reads its base URL from the environment, such as OPENAI_BASE_URL or ANTHROPIC_BASE_URL.",
    ))
}

fn not_a_program(run: &RunId) -> ErrorReply {
    ErrorReply::new(codes::RECORD_NOT_A_PROGRAM, format!("Run {run} is not that of a recorded program."))
        .hint("`plait runs list` says which runs are of programs.")
}

fn unreadable(path: &Path, why: &str) -> ErrorReply {
    ErrorReply::new(codes::RECORD_LOG, format!("The log {} cannot be read: {why}.", path.display()))
}
