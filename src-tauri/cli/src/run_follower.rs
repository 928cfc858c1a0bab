//! Follows a run until it ends or waits for an answer that is not available: prints its events, answers its questions from
//! the command line or interactively, and cancels it on Ctrl+C.
//!
//! Somebody else may answer, step or cancel meanwhile, at the window or in another terminal: a prompt ends when that happens. When the
//! process that drives the run ends, the command that began the run goes on with it.
//!
//! A question is answered, and the run left waiting, only when the whole run tree is idle. Before that, the run may say that it waits
//! although a child run has got an answer and goes on.

mod ending;
mod stops;

use std::io;
use std::time::Duration;

use futures::FutureExt as _;
use plait_api::runs::answers::{Answers, Questions, asker, read_addressed};
use plait_api::runs::{AnswerRun, CancelRun, EndPause, FindHeld, ResumeRun, ShowRun};
use plait_api::{Connection, ConnectionWatch, ErrorReply};
use plait_core::id::RunId;
use plait_journal::view::{Asker, OpenPause, RunOutline, RunStatus};
use plait_journal::{DebugEvent, Entry, Event, RunEvent};
use serde_json::Value;

use crate::codes;
use crate::ctrl_c::CtrlC;
use crate::debugger;
use crate::exit::{CliError, ExitStatus, error_text};
use crate::json_lines::JsonLines;
use crate::open_app;
use crate::progress::Progress;
use crate::prompt::{self, PromptReply, ask};
use crate::terminal::{self, print_error};

pub(crate) struct RunFollower<'a> {
    app: &'a Connection,
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
    /// The time of the latest entry that was printed.
    printed_until: u64,
    wish: Wish,
    /// Whether the next stop is left at once: the one that a resumed run was left at.
    leaves_stops: bool,
    role: Role,
    /// What the watch gave at a prompt and the prompt could not use: an error, or its end.
    unused: Option<Watched>,
}

/// What a command has to do with the run that it follows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It began or resumed the run: it cancels it on Ctrl+C, and goes on with it when the process that drives it ends.
    Driver,
    /// The run is somebody else's.
    Guest,
}

/// What the person wants of the run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wish {
    Follow,
    /// To cancel it.
    Cancel,
    /// Not to watch it any more.
    Leave,
}

/// What a watch gives.
type Watched = Option<Result<Entry, ErrorReply>>;

/// What to do when the run waits.
enum Next {
    Continue,
    Stop,
}

/// What happened to a run that is followed.
#[expect(clippy::large_enum_variant, reason = "one at a time, looked at where it is made")]
enum News {
    Watched(Watched),
    CtrlC,
    /// The number after the last event of the run when its tree was found idle; nothing if it is not driven.
    Idle(Option<u64>),
}

/// How often a run that nobody drives any more is looked at again, and how long to wait in between: the command that began it continues
/// it.
const TAKEOVER_TRIES: u32 = 30;
const TAKEOVER_DELAY: Duration = Duration::from_millis(100);

impl<'a> RunFollower<'a> {
    pub(crate) fn new(app: &'a Connection, run: RunId, ctrl_c: CtrlC, answers: Answers, json: bool) -> Self {
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
            printed_until: 0,
            wish: Wish::Follow,
            leaves_stops: false,
            role: Role::Driver,
            unused: None,
        }
    }

    /// Follows the run as a guest, after these entries, which are printed.
    pub(crate) fn watching(mut self, entries: &[Entry]) -> Result<Self, CliError> {
        self.role = Role::Guest;
        for entry in entries {
            self.take_in(entry)?;
        }
        Ok(self)
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

    fn is_guest(&self) -> bool {
        self.role == Role::Guest
    }

    /// Follows the run. Returns the exit status of the process.
    pub(crate) async fn follow(mut self) -> Result<ExitStatus, CliError> {
        let status = self.follow_to_end().await;
        self.flush()?;
        status
    }

    async fn follow_to_end(&mut self) -> Result<ExitStatus, CliError> {
        if self.outline.status.is_final() {
            return self.finish();
        }
        let mut watch = self.app.watch(&self.run, self.outline.next_seq).await?;
        // Whether to find out when the tree is idle: not again before something happens.
        let mut looks = true;
        // The number after the last event of the run when its tree was found idle.
        let mut idle_at = None;
        let mut tries = 0;
        loop {
            if idle_at.is_some_and(|seq| seq <= self.outline.next_seq) {
                idle_at = None;
                let next = match self.answer(&mut watch).await {
                    // Whether it did what the person wanted is in the journal.
                    Err(CliError::Error(error)) if error.code == codes::OWNER_LOST => {
                        print_error(&error_text(&error));
                        watch = self.take_over().await?;
                        (looks, tries) = (true, TAKEOVER_TRIES);
                        continue;
                    }
                    next => next?,
                };
                if self.wish == Wish::Leave {
                    return Ok(self.leave());
                }
                if let Next::Stop = next {
                    if !self.is_guest() || self.interactive {
                        return self.leave_waiting();
                    }
                    looks = false;
                }
            }
            match self.news(&mut watch, looks && idle_at.is_none()).await? {
                News::CtrlC if self.is_guest() => return Ok(self.leave()),
                News::CtrlC => self.cancel().await?,
                News::Idle(Some(at)) => idle_at = Some(at),
                News::Idle(None) if !self.is_guest() => looks = false,
                News::Idle(None) if tries > 0 => {
                    tries -= 1;
                    // Its last events may be on their way.
                    if let Ok(watched) = tokio::time::timeout(TAKEOVER_DELAY, watch.next()).await {
                        self.unused = Some(watched);
                    }
                }
                News::Idle(None) => match self.answer_alone(&mut watch).await? {
                    Next::Continue if self.wish == Wish::Leave => return Ok(self.leave()),
                    Next::Continue => {}
                    Next::Stop => return self.leave_waiting(),
                },
                News::Watched(Some(Err(error))) if error.code == codes::OWNER_LOST => {
                    watch = self.take_over().await?;
                    (looks, idle_at, tries) = (true, None, TAKEOVER_TRIES);
                }
                News::Watched(Some(Err(error))) if error.code == codes::RECORD_REDRAFTED => {
                    watch = self.begin_again().await?;
                    (looks, idle_at, tries) = (true, None, TAKEOVER_TRIES);
                    if self.outline.status.is_final() {
                        return self.finish();
                    }
                }
                News::Watched(Some(entry)) => {
                    self.take_in(&entry?)?;
                    (looks, tries) = (true, TAKEOVER_TRIES);
                    if self.outline.status.is_final() {
                        self.flush()?;
                        self.settle().await;
                        return self.finish();
                    }
                }
                News::Watched(None) => {
                    return Err(ErrorReply::new(
                        codes::RUN_LOST,
                        format!("Run {} was continued by another process.", self.run),
                    )
                    .into());
                }
            }
        }
    }

    /// What happens next. `looks`: also when the run tree is idle.
    async fn news(&mut self, watch: &mut ConnectionWatch, looks: bool) -> Result<News, CliError> {
        if let Some(unused) = self.unused.take() {
            return Ok(News::Watched(unused));
        }
        if let Some(watched) = watch.next().now_or_never() {
            return Ok(News::Watched(watched));
        }
        // Nothing has arrived, or enough at once that others have their turn.
        self.flush()?;
        Ok(tokio::select! {
            biased;
            watched = watch.next() => News::Watched(watched),
            () = self.ctrl_c.pressed() => News::CtrlC,
            at = self.app.idle_tree(&self.run), if looks && self.wish != Wish::Cancel => News::Idle(at),
        })
    }

    fn take_in(&mut self, entry: &Entry) -> Result<(), CliError> {
        self.print(entry)?;
        self.outline.apply(entry);
        Ok(())
    }

    /// Watches a recorded program again after the draft of its run has changed. What happened until now is not printed again, but in
    /// JSON: there all events of the run follow.
    async fn begin_again(&mut self) -> Result<ConnectionWatch, CliError> {
        let entries = self.app.call(ShowRun { run: self.run.clone() }).await?.entries;
        let printed_until = self.printed_until;
        self.outline = RunOutline::default();
        for entry in &entries {
            if self.json.is_some() || entry.at > printed_until {
                self.print(entry)?;
            }
            self.outline.apply(entry);
        }
        Ok(self.app.watch(&self.run, self.outline.next_seq).await?)
    }

    /// Watches the run again after the process that drove it has ended, and continues it if it is this command's.
    async fn take_over(&mut self) -> Result<ConnectionWatch, CliError> {
        self.progress.pause();
        let run = self.run.clone();
        let status = self.app.call(ShowRun { run: run.clone() }).await?.summary.status;
        if !self.is_guest() && !status.is_final() {
            self.app.call(ResumeRun { run: run.clone() }).await?;
            let place = if self.app.here().is_some() { "here" } else { "in another process" };
            print_error(&format!("The process that drove run {run} has ended. The run goes on {place}.\n"));
            if self.wish == Wish::Cancel {
                self.app.call(CancelRun { run }).await?;
            }
        }
        Ok(self.app.watch(&self.run, self.outline.next_seq).await?)
    }

    /// The same as [`Self::answer`] for a run that nobody drives. An answer continues it. `run.lost` if only resuming it can do that.
    async fn answer_alone(&mut self, watch: &mut ConnectionWatch) -> Result<Next, CliError> {
        if matches!(self.outline.status, RunStatus::Waiting | RunStatus::Stopped) {
            return self.answer(watch).await;
        }
        let message = format!("Run {} was interrupted: no process drives it any more.", self.run);
        Err(ErrorReply::new(codes::RUN_LOST, message)
            .hint(format!("Go on with it: {} resume {}", open_app::program(self.app), self.run))
            .into())
    }

    /// Leaves the run waiting or at its stop.
    fn leave_waiting(&mut self) -> Result<ExitStatus, CliError> {
        if let (Some(json), Some(entry)) = (&mut self.json, &self.last_wait) {
            json.print(entry)?;
        }
        Ok(self.stop_waiting())
    }

    /// Leaves a run that is somebody else's as it is.
    fn leave(&mut self) -> ExitStatus {
        self.progress.pause();
        print_error(&format!("Not watching run {} any more.\n", self.run));
        ExitStatus::Canceled
    }

    /// Resolves when what a prompt asks for is not open any more, or Ctrl+C was pressed, which returns true. Prints what happens meanwhile,
    /// and the marker of the prompt again behind it.
    async fn prompt_ends(
        &mut self,
        watch: &mut ConnectionWatch,
        is_open: impl Fn(&RunOutline) -> bool,
        print_marker: fn() -> io::Result<()>,
    ) -> Result<bool, CliError> {
        loop {
            let watched = tokio::select! {
                biased;
                () = self.ctrl_c.pressed() => return Ok(true),
                watched = watch.next() => watched,
            };
            let Some(Ok(entry)) = watched else {
                self.unused = Some(watched);
                return Ok(false);
            };
            self.take_in(&entry)?;
            // Its spinner would draw over the prompt.
            self.progress.pause();
            if let Event::Debug(DebugEvent::Breakpoints { breakpoints }) = &entry.event {
                print_error("\n");
                debugger::print_breakpoints(breakpoints)?;
                print_marker()?;
            }
            if !is_open(&self.outline) {
                return Ok(false);
            }
        }
    }

    /// Waits until every child run of the ended run has ended, too. Closing the application before would stop child
    /// runs that are still being canceled, and each would have to be resumed to end. Ctrl+C exits immediately; child
    /// runs that have not ended then are listed as interrupted, and can be canceled.
    async fn settle(&mut self) {
        tokio::select! {
            () = self.app.settled(&self.run) => {}
            () = self.ctrl_c.pressed() => std::process::exit(ExitStatus::Canceled.code().into()),
        }
    }

    fn print(&mut self, entry: &Entry) -> Result<(), CliError> {
        self.last_wait = None;
        self.printed_until = self.printed_until.max(entry.at);
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
    async fn answer(&mut self, watch: &mut ConnectionWatch) -> Result<Next, CliError> {
        if !self.outline.stops.is_empty() {
            let mut held = self.app.call(FindHeld { run: self.run.clone() }).await?.into_iter();
            if let Some(newest) = held.next() {
                return self.debug(newest, held.len(), watch).await;
            }
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
            self.ask(&pause, watch).await?;
        } else {
            return Ok(Next::Stop);
        }
        Ok(Next::Continue)
    }

    /// Asks a question interactively until the answer is valid, or somebody else answers.
    async fn ask(&mut self, pause: &OpenPause, watch: &mut ConnectionWatch) -> Result<(), CliError> {
        self.progress.pause();
        let is_open = |outline: &RunOutline| outline.pauses.contains(pause);
        loop {
            let reply = tokio::select! {
                reply = ask(&pause.prompt, &pause.schema) => reply?,
                is_interrupted = self.prompt_ends(watch, is_open, || prompt::print_marker(false)) => {
                    print_error("\n");
                    return if is_interrupted? { self.cancel().await } else { Ok(()) };
                }
            };
            let sent = match reply {
                PromptReply::End => self.end(pause).await,
                PromptReply::Text(text) => self.send_answer(pause, read_addressed(pause, &text)).await,
            };
            match sent {
                // Probably a typo: report the error and ask again.
                Err(CliError::Error(error)) if error.code == codes::ANSWER_INVALID => {
                    print_error(&error_text(&error));
                }
                // Somebody else was faster.
                Err(CliError::Error(error)) if error.code == codes::ANSWER_NOT_WAITING => {
                    print_error(&error_text(&error));
                    return Ok(());
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

    /// Cancels the run, unless it is somebody else's: then the command ends. A second Ctrl+C exits immediately.
    async fn cancel(&mut self) -> Result<(), CliError> {
        if self.is_guest() {
            self.wish = Wish::Leave;
            return Ok(());
        }
        if self.wish == Wish::Cancel {
            std::process::exit(ExitStatus::Canceled.code().into());
        }
        self.wish = Wish::Cancel;
        self.progress.note("Canceling… (press Ctrl+C again to exit immediately)");
        Ok(self.app.call(CancelRun { run: self.run.clone() }).await?)
    }
}
