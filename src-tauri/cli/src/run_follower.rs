//! Follows a run until it ends or waits for an answer that is not available: prints its events, answers its questions from
//! the command line or interactively, and cancels it on Ctrl+C.
//!
//! A question is answered, and the run left waiting, only when the whole run tree is idle. Before that, the run may say that it waits
//! although a child run has got an answer and goes on.

mod answers;
mod stops;

use std::io::Write as _;

use futures::FutureExt as _;
use plait_api::runs::{AnswerRun, CancelRun, EndPause, FindHeld};
use plait_api::{ErrorReply, Plait};
use plait_core::id::{Activation, RunId};
use plait_run::journal::{Entry, Event, RunEvent};
use plait_run::view::{Asker, OpenPause, RunOutline, RunStatus};
use serde_json::Value;

use crate::codes;
use crate::ctrl_c::CtrlC;
use crate::debugger;
use crate::exit::{CliError, ExitStatus, error_text};
use crate::json_lines::JsonLines;
use crate::progress::Progress;
use crate::prompt::{PromptReply, ask};
use crate::terminal::{self, print_error, stdout};

pub(crate) use answers::Answers;
use answers::{Questions, asker, read_addressed};

pub(crate) struct RunFollower<'a> {
    app: &'a Plait,
    run: RunId,
    outline: RunOutline,
    answers: Answers,
    /// Where the entries go, if they are printed as JSON.
    json: Option<JsonLines>,
    interactive: bool,
    progress: Progress,
    ctrl_c: CtrlC,
    /// The latest `run.waiting` event, if the run was waiting before it was followed and nothing was printed since.
    last_wait: Option<Entry>,
    canceling: bool,
    /// Whether the next stop is left at once: the one that a resumed run was left at.
    leaves_stop: bool,
}

/// What to do when the run waits.
enum Next {
    Continue,
    Stop,
}

impl<'a> RunFollower<'a> {
    pub(crate) fn new(app: &'a Plait, run: RunId, ctrl_c: CtrlC, answers: Answers, json: bool) -> Self {
        Self {
            app,
            run,
            outline: RunOutline::default(),
            answers,
            json: json.then(JsonLines::new),
            ctrl_c,
            interactive: !json && terminal::is_interactive(),
            progress: Progress::new(!json),
            last_wait: None,
            canceling: false,
            leaves_stop: false,
        }
    }

    /// Follows a run after these entries, which are not printed.
    pub(crate) fn skip(mut self, entries: Vec<Entry>) -> Self {
        self.outline = RunOutline::of(&entries);
        if self.outline.status == RunStatus::Waiting {
            let is_waiting = |entry: &Entry| matches!(entry.event, Event::Run(RunEvent::Waiting { .. }));
            self.last_wait = entries.into_iter().rfind(is_waiting);
        }
        self
    }

    /// Follows the run. Returns the exit status of the process.
    pub(crate) async fn follow(mut self) -> Result<ExitStatus, CliError> {
        let status = self.follow_to_end().await;
        self.flush()?;
        status
    }

    async fn follow_to_end(&mut self) -> Result<ExitStatus, CliError> {
        let mut watch = self.app.runs().watch(&self.run, self.outline.next_seq).await?;
        let mut is_driven = true;
        // The number after the last event of the run when its tree was found idle.
        let mut idle_at = None;
        loop {
            if idle_at.is_some_and(|seq| seq <= self.outline.next_seq) {
                idle_at = None;
                if let Next::Stop = self.answer().await? {
                    if let (Some(json), Some(entry)) = (&mut self.json, &self.last_wait) {
                        json.print(entry)?;
                    }
                    return Ok(self.stop_waiting());
                }
            }
            let item = if let Some(item) = watch.next().now_or_never() {
                item
            } else {
                // Nothing has arrived, or enough at once that others have their turn.
                self.flush()?;
                tokio::select! {
                    biased;
                    item = watch.next() => item,
                    () = self.ctrl_c.pressed() => {
                        self.cancel().await?;
                        continue;
                    }
                    at = self.app.runs().idle_tree(&self.run), if is_driven && !self.canceling && idle_at.is_none() => {
                        is_driven = at.is_some();
                        idle_at = at;
                        continue;
                    }
                }
            };
            let Some(entry) = item.transpose()? else {
                return Err(ErrorReply::new(
                    codes::RUN_LOST,
                    format!("Run {} was continued by another process.", self.run),
                )
                .into());
            };
            self.print(&entry)?;
            self.outline.apply(&entry);
            if self.outline.status.is_final() {
                self.flush()?;
                self.settle().await;
                return self.finish();
            }
        }
    }

    /// Waits until every child run of the ended run has ended, too. Closing the application before would stop child
    /// runs that are still being canceled, and each would have to be resumed to end. Ctrl+C exits immediately; child
    /// runs that have not ended then are listed as interrupted, and can be canceled.
    async fn settle(&mut self) {
        tokio::select! {
            () = self.app.runs().settled(&self.run) => {}
            () = self.ctrl_c.pressed() => std::process::exit(ExitStatus::Canceled.code().into()),
        }
    }

    fn print(&mut self, entry: &Entry) -> Result<(), CliError> {
        self.last_wait = None;
        match &mut self.json {
            Some(json) => json.print(entry)?,
            None => self.progress.print(entry),
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), CliError> {
        self.json.as_mut().map_or(Ok(()), JsonLines::flush)
    }

    /// Answers an open question, if an answer is available, or does what the person says at a stop. The run tree is idle.
    async fn answer(&mut self) -> Result<Next, CliError> {
        if self.outline.stop.is_some()
            && let Some(held) = self.app.call(FindHeld { run: self.run.clone() }).await?
        {
            return self.debug(held).await;
        }
        let first_asker = self.answers.first_asker.clone();
        let questions = Questions { outline: &self.outline, first_asker: first_asker.as_ref() };
        let Some(first) = questions.first() else { return Ok(Next::Stop) };
        if self.answers.end_first {
            self.answers.end_first = false;
            let pause = first.clone();
            self.end(&pause).await?;
        } else if let Some((pause, value)) = self.answers.take(questions) {
            let pause = pause.clone();
            let sent = self.send_answer(&pause, value).await;
            if let Err(CliError::Error(error)) = &sent
                && error.code == codes::ANSWER_INVALID
            {
                // The question stays open: report how to answer it, in addition to the error.
                self.stop_waiting();
            }
            sent?;
        } else if self.interactive {
            let pause = first.clone();
            self.ask(&pause).await?;
        } else {
            return Ok(Next::Stop);
        }
        Ok(Next::Continue)
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
                PromptReply::Text(text) => self.send_answer(pause, read_addressed(pause, &text)).await,
            };
            match sent {
                // Probably a typo: report the error and ask again.
                Err(CliError::Error(error)) if error.code == codes::ANSWER_INVALID => {
                    print_error(&error_text(&error));
                }
                other => return other,
            }
        }
    }

    async fn send_answer(&mut self, pause: &OpenPause, value: Value) -> Result<(), CliError> {
        let Asker { run, node, epoch } = asker(&self.run, pause);
        let attachments = self.answers.attachments.get(&node).cloned().unwrap_or_default();
        self.app.call(AnswerRun { run, node: node.clone(), epoch, value, attachments }).await?;
        self.answers.attachments.remove(&node);
        Ok(())
    }

    async fn end(&mut self, pause: &OpenPause) -> Result<(), CliError> {
        let Asker { run, node, epoch } = asker(&self.run, pause);
        Ok(self.app.call(EndPause { run, node, epoch }).await?)
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
        if let Some(stop) = &self.outline.stop {
            print_error(&format!(
                "Run {run} stands still {place} [{code}]\n  help: plait resume {run}\n",
                run = self.run,
                place = debugger::describe(stop),
                code = codes::DEBUG_STOPPED
            ));
            return ExitStatus::Stopped;
        }
        let questions = Questions { outline: &self.outline, first_asker: self.answers.first_asker.as_ref() };
        let open: Vec<&OpenPause> = questions.in_order().collect();
        let is_about_tool = open.first().is_some_and(|pause| pause.tool.is_some());
        let note = match self.answers.next_unaddressed() {
            Some(_) if is_about_tool => {
                "\n  note: a question about a tool call takes `yes`, `no` or JSON; any other answer is for a later question"
            }
            _ => "",
        };
        let answer = if is_about_tool { "yes|no|JSON" } else { "TEXT" };
        let (asked, address) = match &open[..] {
            [] => ("an answer".to_owned(), "[NODE=]"),
            [only] => (format!("an answer: {}", only.prompt.trim()), "[NODE=]"),
            several => {
                let line =
                    |pause: &&OpenPause| format!("\n  {}: {}", questions.address(pause), pause.prompt.trim());
                (format!("{} answers:{}", open.len(), several.iter().map(line).collect::<String>()), "NODE=")
            }
        };
        print_error(&format!(
            "Run {run} is waiting for {asked}{note}\n  help: plait resume {run} --answer {address}{answer}, or plait resume {run} --end\n",
            run = self.run
        ));
        ExitStatus::Waiting
    }

    /// Prints the result of a run that has ended.
    fn finish(&mut self) -> Result<ExitStatus, CliError> {
        self.progress.pause();
        if self.json.is_none() {
            print_outputs(&self.outline)?;
        }
        match self.answers.texts.len() {
            0 => {}
            1 => print_error("note: One answer was not used.\n"),
            count => print_error(&format!("note: {count} answers were not used.\n")),
        }
        Ok(match self.outline.status {
            RunStatus::Failed => {
                if let Some(failed) = &self.outline.error {
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

/// Prints the outputs of the flow: a single value as it is, several values under the names of their ports.
fn print_outputs(outline: &RunOutline) -> Result<(), CliError> {
    let mut out = stdout();
    let values: Vec<_> = outline
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
