//! Follows a run until it ends or waits for an answer that is not available: prints its events, answers its questions from
//! the command line or interactively, and cancels it on Ctrl+C.

use plait_api::engine::error::ErrorCode;
use std::collections::{BTreeSet, VecDeque};
use std::io::Write as _;

use plait_api::engine::id::{Activation, RunId};
use plait_api::engine::journal::{Entry, Event, RunEvent};
use plait_api::engine::run::view::{Asker, OpenPause, RunStatus, RunView};
use plait_api::runs::answer_text;
use plait_api::runs::{AnswerRun, CancelRun, EndPause};
use plait_api::{ErrorReply, Plait};
use serde_json::Value;

use crate::ctrl_c::CtrlC;
use crate::exit::{CliError, ExitStatus, error_text};
use crate::format::to_json;
use crate::progress::Progress;
use crate::prompt::{PromptReply, ask};
use crate::terminal::{self, print_error};

/// The answers of the command line.
pub(crate) struct Answers {
    /// Answers, in the order of the questions.
    pub(crate) texts: VecDeque<String>,
    /// End the first pause without an answer.
    pub(crate) end_first: bool,
}

/// Follows one run.
pub(crate) struct RunFollower<'a> {
    app: &'a Plait,
    run: RunId,
    view: RunView,
    answers: Answers,
    json: bool,
    interactive: bool,
    progress: Progress,
    ctrl_c: CtrlC,
    /// The latest `run.waiting` event, if the run was waiting before it was followed.
    last_wait: Option<Entry>,
    /// Pauses that were answered. Their events may not have been received yet.
    answered: BTreeSet<Asker>,
    canceling: bool,
}

/// What to do when the run waits.
enum Next {
    Continue,
    Stop,
}

impl<'a> RunFollower<'a> {
    /// Follows a run from its start.
    pub(crate) fn new(app: &'a Plait, run: RunId, ctrl_c: CtrlC, answers: Answers, json: bool) -> Self {
        Self {
            app,
            run,
            view: RunView::default(),
            answers,
            json,
            ctrl_c,
            interactive: !json && terminal::is_interactive(),
            progress: Progress::new(!json),
            last_wait: None,
            answered: BTreeSet::new(),
            canceling: false,
        }
    }

    /// Follows a run after these entries, which are not printed.
    pub(crate) fn skip(mut self, entries: Vec<Entry>) -> Self {
        self.view = RunView::of(&entries);
        if self.view.status == RunStatus::Waiting {
            let is_waiting = |entry: &Entry| matches!(entry.event, Event::Run(RunEvent::Waiting { .. }));
            self.last_wait = entries.into_iter().rfind(is_waiting);
        }
        self
    }

    /// Follows the run. Returns the exit status of the process.
    pub(crate) async fn follow(mut self) -> Result<ExitStatus, CliError> {
        let mut watch = self.app.runs().watch(&self.run, self.view.next_seq).await?;
        if self.view.status == RunStatus::Waiting
            && let Next::Stop = self.answer().await?
        {
            if let Some(entry) = self.last_wait.take().filter(|_| self.json) {
                print_json(&entry)?;
            }
            return Ok(self.stop_waiting());
        }
        loop {
            let item = tokio::select! {
                item = watch.next() => item,
                () = self.ctrl_c.pressed() => {
                    self.cancel().await?;
                    continue;
                }
            };
            let Some(entry) = item.transpose()? else {
                return Err(ErrorReply::new(
                    ErrorCode::RunLost,
                    format!("Run {} was continued by another process.", self.run),
                )
                .into());
            };
            let is_waiting = matches!(entry.event, Event::Run(RunEvent::Waiting { .. }));
            self.print(&entry)?;
            self.view.apply(&entry);
            if self.view.status.is_final() {
                return self.finish();
            }
            if is_waiting && let Next::Stop = self.answer().await? {
                return Ok(self.stop_waiting());
            }
        }
    }

    fn print(&mut self, entry: &Entry) -> Result<(), CliError> {
        if self.json {
            return print_json(entry);
        }
        self.progress.print(entry);
        Ok(())
    }

    /// Answers the first open question, if an answer is available.
    async fn answer(&mut self) -> Result<Next, CliError> {
        if self.canceling {
            return Ok(Next::Continue);
        }
        let Some(pause) = self.open_pause() else { return Ok(Next::Continue) };
        if self.answers.end_first {
            self.answers.end_first = false;
            self.end(&pause).await?;
        } else if let Some(text) = self.answers.texts.pop_front() {
            let sent = self.send_answer(&pause, answer_text::parse_answer(&pause.schema, &text)).await;
            if let Err(CliError::Error(error)) = &sent
                && error.code == ErrorCode::AnswerInvalid
            {
                // The question stays open: report how to answer it, in addition to the error.
                self.stop_waiting();
            }
            sent?;
        } else if self.interactive {
            self.ask(&pause).await?;
        } else {
            return Ok(Next::Stop);
        }
        Ok(Next::Continue)
    }

    fn open_pause(&self) -> Option<OpenPause> {
        let is_waiting = |pause: &&OpenPause| {
            self.view.waiting_on.iter().any(|on| on.node == pause.node && on.epoch == pause.epoch)
        };
        let is_open = |pause: &&OpenPause| !self.answered.contains(&self.asker(pause));
        self.view.pauses.iter().filter(is_waiting).find(is_open).cloned()
    }

    /// Asks a question interactively until the answer is valid.
    async fn ask(&mut self, pause: &OpenPause) -> Result<(), CliError> {
        self.progress.pause();
        loop {
            let reply = tokio::select! {
                reply = ask(&pause.prompt, &pause.schema) => reply?,
                () = self.ctrl_c.pressed() => {
                    print_error("\n");
                    return self.cancel().await;
                }
            };
            let sent = match reply {
                PromptReply::End => return self.end(pause).await,
                PromptReply::Text(text) => {
                    self.send_answer(pause, answer_text::parse_answer(&pause.schema, &text)).await
                }
            };
            match sent {
                // Probably a typo: report the error and ask again.
                Err(CliError::Error(error)) if error.code == ErrorCode::AnswerInvalid => {
                    print_error(&error_text(&error));
                }
                other => return other,
            }
        }
    }

    async fn send_answer(&mut self, pause: &OpenPause, value: Value) -> Result<(), CliError> {
        let asker = self.asker(pause);
        let Asker { run, node, epoch } = asker.clone();
        self.app.call(AnswerRun { run, node, epoch, value }).await?;
        self.answered.insert(asker);
        Ok(())
    }

    async fn end(&mut self, pause: &OpenPause) -> Result<(), CliError> {
        let asker = self.asker(pause);
        let Asker { run, node, epoch } = asker.clone();
        self.app.call(EndPause { run, node, epoch }).await?;
        self.answered.insert(asker);
        Ok(())
    }

    /// The run that asks: this one, or a child run.
    fn asker(&self, pause: &OpenPause) -> Asker {
        let own = || Asker { run: self.run.clone(), node: pause.node.clone(), epoch: pause.epoch.clone() };
        pause.asker.clone().unwrap_or_else(own)
    }

    /// Cancels the run. A second Ctrl+C exits immediately.
    async fn cancel(&mut self) -> Result<(), CliError> {
        if self.canceling {
            std::process::exit(ExitStatus::Canceled.code().into());
        }
        self.canceling = true;
        self.progress.note("Canceling… (press Ctrl+C again to exit immediately)");
        Ok(self.app.call(CancelRun { run: self.run.clone() }).await?)
    }

    /// Reports that the run stays waiting, and how to answer it.
    fn stop_waiting(&mut self) -> ExitStatus {
        self.progress.pause();
        let question =
            self.open_pause().map(|pause| format!(": {}", pause.prompt.trim())).unwrap_or_default();
        print_error(&format!(
            "Run {run} is waiting for an answer{question}\n  help: plait resume {run} --answer TEXT, or plait resume {run} --end\n",
            run = self.run
        ));
        ExitStatus::Waiting
    }

    /// Prints the result of a run that has ended.
    fn finish(&mut self) -> Result<ExitStatus, CliError> {
        self.progress.pause();
        if !self.json {
            print_outputs(&self.view)?;
        }
        match self.answers.texts.len() {
            0 => {}
            1 => print_error("note: One answer was not used.\n"),
            count => print_error(&format!("note: {count} answers were not used.\n")),
        }
        Ok(match self.view.status {
            RunStatus::Failed => {
                if let Some(failed) = &self.view.error {
                    let activation = Activation { node: failed.node.clone(), epoch: failed.epoch.clone() };
                    let mut error = ErrorReply::from(failed.error.clone());
                    error.message = format!("node `{activation}`: {}", error.message);
                    print_error(&error_text(&error));
                }
                ExitStatus::Failure
            }
            RunStatus::Cancelled => {
                print_error(&format!("Run {} was canceled.\n", self.run));
                ExitStatus::Canceled
            }
            _ => ExitStatus::Success,
        })
    }
}

/// Prints an entry as one line of JSON.
fn print_json(entry: &Entry) -> Result<(), CliError> {
    Ok(writeln!(std::io::stdout(), "{}", to_json(entry)?)?)
}

/// Prints the outputs of the flow: a single value as it is, several values under the names of their ports.
fn print_outputs(view: &RunView) -> Result<(), CliError> {
    let mut out = std::io::stdout().lock();
    let values: Vec<_> = view
        .outputs
        .iter()
        .flat_map(|(node, ports)| ports.iter().map(move |(port, value)| (format!("{node}.{port}"), value)))
        // Context outputs are wiring, not results.
        .filter(|(_, value)| value.get("contextId").is_none())
        .collect();
    for (name, value) in &values {
        if values.len() > 1 {
            writeln!(out, "{name}:")?;
        }
        match &***value {
            Value::String(text) => writeln!(out, "{}", text.trim_end())?,
            other => writeln!(out, "{other:#}")?,
        }
    }
    Ok(())
}
