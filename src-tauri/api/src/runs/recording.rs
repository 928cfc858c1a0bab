//! `recording.*`: writes a run tree into a file, and says what is in one. `run.rerun` replays it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use plait_core::flow::Flow;
use plait_core::id::{NodeId, RunId};
use plait_insight::bill::{Bill, BillPlace};
use plait_journal::RecordingRef;
use plait_journal::earlier_run::NotedKeys;
use plait_journal::view::RunStatus;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::service::RunService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::command::Command;
use crate::recordings::{self, Mask, Recording, names_of_others, recording_of};

/// `recording.export`: writes a run that has ended or waits, and the runs below it, with all that replaying them needs. Secrets are
/// removed; the names in `mask` get placeholders. `run.unknown`, `run.busy`, `run.is_child`, `recording.mask`,
/// `recording.not_written`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ExportRecording {
    pub run: RunId,
    /// The file to write. One that exists is replaced.
    pub file: String,
    /// Names that get the same placeholder everywhere.
    #[serde(default)]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub mask: Vec<String>,
}

/// What was written.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ExportedRecording {
    /// How many runs: the run itself and those below it.
    #[ts(type = "number")]
    pub runs: usize,
    /// The size of the file.
    #[ts(type = "number")]
    pub bytes: usize,
    /// What a replay does not get to, since the run did not either.
    pub unrecorded: Vec<BillPlace>,
    /// The names of attachments that may show masked names, since they are no texts.
    pub unmasked: Vec<String>,
}

impl Command for ExportRecording {
    const NAME: &'static str = "recording.export";
    type Service = RunService;
    type Reply = ExportedRecording;

    async fn run(self, service: &RunService) -> Result<ExportedRecording, ErrorReply> {
        let Self { run, file, mask } = self;
        service.check_recordable(&run).await?;
        let redaction = service.parts.providers.keys().redaction_with_stored_keys().await;
        let (store, providers) = (service.parts.store.clone(), &service.parts.providers);
        // Providers that the application was opened with have no settings.
        let settings = if providers.is_fixed() { BTreeMap::new() } else { providers.table().settings() };
        // What a failing disk lost is not in the recording; the run says so.
        let _ = store.flush().await;
        let recorded = {
            let run = run.clone();
            run_blocking(move || recording_of(&store, &run, &settings)).await?
        };
        let unmasked = if mask.is_empty() { Vec::new() } else { names_of_others(&recorded) };
        let recorded = Arc::new(recorded);
        let before = service.rehearse_recording(&recorded, false).await?.0;
        let (recording, bill) = if mask.is_empty() {
            (recorded, before)
        } else {
            let masked = {
                let recorded = Arc::clone(&recorded);
                run_blocking(move || Mask::new(&mask, &redaction)?.apply(Recording::clone(&recorded))).await?
            };
            let masked = Arc::new(masked);
            let (_, keys) = service.rehearse_recording(&masked, true).await?;
            let mut masked = Recording::clone(&masked);
            masked.put_keys(&keys);
            let masked = Arc::new(masked);
            let after = service.rehearse_recording(&masked, false).await?.0;
            if let Some(place) = first_new(&before, &after) {
                let message = format!("With the names masked, `{}` would ask for something else.", place.at);
                return Err(recordings::refused(&message));
            }
            (masked, after)
        };
        let runs = recording.runs.len();
        let bytes = run_blocking(move || recording.write(Path::new(&file))).await?;
        Ok(ExportedRecording { runs, bytes, unrecorded: bill.unrecorded, unmasked })
    }
}

impl RunService {
    /// Refuses a run that goes on meanwhile, or is part of another one. `run.unknown`, `run.busy`, `run.is_child`.
    async fn check_recordable(&self, run: &RunId) -> Result<(), ErrorReply> {
        let (store, id) = (self.parts.store.clone(), run.clone());
        let record = run_blocking(move || Ok(store.run(&id)?)).await?;
        self.check_is_root(&record).await?;
        // At a question or a stop, nothing is written.
        let stands = matches!(record.status, RunStatus::Waiting | RunStatus::Stopped);
        if self.is_driven(&record) && !stands && !record.status.is_final() {
            return Err(ErrorReply::new(codes::RUN_BUSY, format!("Run {run} is still active."))
                .hint("Wait for its end, or stop it first."));
        }
        Ok(())
    }

    /// What a replay of a recording asks for that it does not have. With `notes_keys`, each request is taken for the recorded one, and
    /// its key is noted.
    async fn rehearse_recording(
        &self,
        recording: &Arc<Recording>,
        notes_keys: bool,
    ) -> Result<(Bill, NotedKeys), ErrorReply> {
        // No file has this hash.
        let hash = format!("rehearsed-{}", uuid::Uuid::now_v7());
        self.recordings.put(hash.clone(), recording);
        let file = RecordingRef { path: String::new(), hash: hash.clone() };
        let rehearsed = self.rehearse_replay(file, recording, notes_keys).await;
        self.recordings.forget(&hash);
        rehearsed
    }
}

/// The first place that asks for something after the change and did not before.
fn first_new<'b>(before: &Bill, after: &'b Bill) -> Option<&'b BillPlace> {
    after.unrecorded.iter().find(|place| !before.unrecorded.contains(place))
}

/// `recording.read`: reads a recording whole and says what is in it. Changes nothing. `recording.not_read`, `recording.unknown_form`,
/// `recording.newer`, `recording.damaged`, `recording.too_large`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ReadRecording {
    pub file: String,
}

/// What a recording holds.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct RecordingSummary {
    /// The recorded run, for `run.rerun`.
    pub run: RunId,
    /// The flow that it ran.
    pub flow: Flow,
    /// How many runs there are: the recorded one and those below it.
    #[ts(type = "number")]
    pub runs: usize,
    /// The nodes of all flows that they ran.
    pub nodes: BTreeSet<NodeId>,
}

impl Command for ReadRecording {
    const NAME: &'static str = "recording.read";
    type Service = RunService;
    type Reply = RecordingSummary;

    async fn run(self, service: &RunService) -> Result<RecordingSummary, ErrorReply> {
        let recordings = service.recordings.clone();
        run_blocking(move || {
            let (_, recording) = recordings.read(Path::new(&self.file))?;
            summary(&recording)
        })
        .await
    }
}

fn summary(recording: &Recording) -> Result<RecordingSummary, ErrorReply> {
    let root = recording.root().and_then(|run| Some((run.clone(), recording.flow_of(run)?)));
    let (run, flow) = root.ok_or_else(|| recordings::damaged("runs", "there is no run"))?;
    let flow = Flow::clone(recording.flow(&flow.hash)?);
    let mut nodes = BTreeSet::new();
    for (run, _) in &recording.runs {
        if let Some(flow) = recording.flow_of(run) {
            nodes.extend(recording.flow(&flow.hash)?.nodes.keys().cloned());
        }
    }
    Ok(RecordingSummary { run, flow, runs: recording.runs.len(), nodes })
}
