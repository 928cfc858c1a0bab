//! Following a run to its end, or to where only a person can make it go on: shows what happens, gives the answers there
//! are, asks on a terminal for more, and turns Ctrl+C into a clean cancellation.

use std::collections::{BTreeSet, VecDeque};
use std::io::Write as _;

use plait_api::engine::id::{Activation, RunId};
use plait_api::engine::run::view::{Asker, OpenPause, RunStatus, RunView};
use plait_api::engine::run::{Entry, Event};
use plait_api::runs::answer_text;
use plait_api::runs::{AnswerRun, CancelRun, EndPause};
use plait_api::{ErrorReply, Plait};
use serde_json::Value;

use crate::ask::{Asked, ask};
use crate::failure::{Ending, Failure, error_text, say};
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::terminal;

/// What the caller gave to answer the run's questions with.
pub(crate) struct Replies {
    /// In order.
    pub(crate) answers: VecDeque<String>,
    /// End the first pause.
    pub(crate) end: bool,
}

/// One run being followed.
pub(crate) struct Follow<'a> {
    app: &'a Plait,
    run: RunId,
    view: RunView,
    replies: Replies,
    json: bool,
    interactive: bool,
    progress: Progress,
    interrupt: Interrupt,
    /// The event by which the run came to wait, if it did before it was followed.
    last_wait: Option<Entry>,
    /// Pauses that were answered, though the run may not have said so yet.
    answered: BTreeSet<Asker>,
    cancelling: bool,
}

/// What to do after a question was put.
enum Next {
    GoOn,
    Leave,
}

impl<'a> Follow<'a> {
    /// Follows `run` from its beginning.
    pub(crate) fn new(
        app: &'a Plait,
        run: RunId,
        interrupt: Interrupt,
        replies: Replies,
        json: bool,
    ) -> Self {
        Self {
            app,
            run,
            view: RunView::default(),
            replies,
            json,
            interrupt,
            interactive: !json && terminal::is_interactive(),
            progress: Progress::new(!json),
            last_wait: None,
            answered: BTreeSet::new(),
            cancelling: false,
        }
    }

    /// Follows it from behind these entries.
    pub(crate) fn after(mut self, entries: Vec<Entry>) -> Self {
        self.view = RunView::of(&entries);
        if self.view.status == RunStatus::Waiting {
            let waits = |entry: &Entry| matches!(entry.event, Event::RunWaiting { .. });
            self.last_wait = entries.into_iter().rfind(waits);
        }
        self
    }

    /// Follows it.
    pub(crate) async fn run_to_the_end(mut self) -> Result<Ending, Failure> {
        let mut watch = self.app.runs().watch(&self.run, self.view.next_seq).await?;
        if self.view.status == RunStatus::Waiting
            && let Next::Leave = self.answer().await?
        {
            if let Some(entry) = self.last_wait.take().filter(|_| self.json) {
                print_line(&entry)?;
            }
            return Ok(self.leave());
        }
        loop {
            let item = tokio::select! {
                item = watch.next() => item,
                () = self.interrupt.pressed() => {
                    self.cancel().await?;
                    continue;
                }
            };
            let Some(entry) = item.transpose()? else {
                return Err(
                    ErrorReply::new("run.lost", format!("Run {} went on elsewhere.", self.run)).into()
                );
            };
            let waits = matches!(entry.event, Event::RunWaiting { .. });
            self.show(&entry)?;
            self.view.apply(&entry);
            if self.view.status.is_final() {
                return self.ended();
            }
            if waits && let Next::Leave = self.answer().await? {
                return Ok(self.leave());
            }
        }
    }

    fn show(&mut self, entry: &Entry) -> Result<(), Failure> {
        if self.json {
            return print_line(entry);
        }
        self.progress.show(entry);
        Ok(())
    }

    /// Gives an answer to the first open question, if there is one to give.
    async fn answer(&mut self) -> Result<Next, Failure> {
        if self.cancelling {
            return Ok(Next::GoOn);
        }
        let Some(pause) = self.open_pause() else { return Ok(Next::GoOn) };
        if self.replies.end {
            self.replies.end = false;
            self.end(&pause).await?;
        } else if let Some(text) = self.replies.answers.pop_front() {
            let given = self.give(&pause, answer_text::parse_answer(&pause.schema, &text)).await;
            if let Err(Failure::Error(error)) = &given
                && error.code == "answer.invalid"
            {
                // The question is still open, and how to answer it is told beside what is wrong.
                self.leave();
            }
            given?;
        } else if self.interactive {
            self.ask(&pause).await?;
        } else {
            return Ok(Next::Leave);
        }
        Ok(Next::GoOn)
    }

    fn open_pause(&self) -> Option<OpenPause> {
        let waits = |pause: &&OpenPause| {
            self.view.waiting_on.iter().any(|on| on.node == pause.node && on.epoch == pause.epoch)
        };
        let open = |pause: &&OpenPause| !self.answered.contains(&self.asker(pause));
        self.view.pauses.iter().filter(waits).find(open).cloned()
    }

    async fn ask(&mut self, pause: &OpenPause) -> Result<(), Failure> {
        self.progress.pause();
        loop {
            let asked = tokio::select! {
                asked = ask(&pause.prompt, &pause.schema) => asked?,
                () = self.interrupt.pressed() => {
                    say("\n");
                    return self.cancel().await;
                }
            };
            let given = match asked {
                Asked::End => return self.end(pause).await,
                Asked::Text(text) => self.give(pause, answer_text::parse_answer(&pause.schema, &text)).await,
            };
            match given {
                // A slip of the keyboard: say what is wrong and ask again.
                Err(Failure::Error(error)) if error.code == "answer.invalid" => say(&error_text(&error)),
                other => return other,
            }
        }
    }

    async fn give(&mut self, pause: &OpenPause, value: Value) -> Result<(), Failure> {
        let asker = self.asker(pause);
        let Asker { run, node, epoch } = asker.clone();
        self.app.call(AnswerRun { run, node, epoch, value }).await?;
        self.answered.insert(asker);
        Ok(())
    }

    async fn end(&mut self, pause: &OpenPause) -> Result<(), Failure> {
        let asker = self.asker(pause);
        let Asker { run, node, epoch } = asker.clone();
        self.app.call(EndPause { run, node, epoch }).await?;
        self.answered.insert(asker);
        Ok(())
    }

    /// Who asks: this run, or one below it.
    fn asker(&self, pause: &OpenPause) -> Asker {
        let own = || Asker { run: self.run.clone(), node: pause.node.clone(), epoch: pause.epoch.clone() };
        pause.asker.clone().unwrap_or_else(own)
    }

    /// Cancels the run; a second Ctrl+C does not wait for that.
    async fn cancel(&mut self) -> Result<(), Failure> {
        if self.cancelling {
            std::process::exit(Ending::Cancelled.code().into());
        }
        self.cancelling = true;
        self.progress.note("Cancelling… (Ctrl+C again leaves at once)");
        Ok(self.app.call(CancelRun { run: self.run.clone() }).await?)
    }

    fn leave(&mut self) -> Ending {
        self.progress.pause();
        let asks = self.open_pause().map(|pause| format!(": {}", pause.prompt.trim())).unwrap_or_default();
        say(&format!(
            "Run {run} waits for an answer{asks}\n  help: plait resume {run} --answer TEXT, or plait resume {run} --end\n",
            run = self.run
        ));
        Ending::Waiting
    }

    fn ended(&mut self) -> Result<Ending, Failure> {
        self.progress.pause();
        if !self.json {
            print_outputs(&self.view)?;
        }
        match self.replies.answers.len() {
            0 => {}
            1 => say("note: the run asked nothing more; one answer was not given.\n"),
            more => say(&format!("note: the run asked nothing more; {more} answers were not given.\n")),
        }
        Ok(match self.view.status {
            RunStatus::Failed => {
                if let Some(failed) = &self.view.error {
                    let at = Activation { node: failed.node.clone(), epoch: failed.epoch.clone() };
                    let mut error = ErrorReply::from(failed.error.clone());
                    error.message = format!("node `{at}`: {}", error.message);
                    say(&error_text(&error));
                }
                Ending::Failed
            }
            RunStatus::Cancelled => {
                say(&format!("Run {} was cancelled.\n", self.run));
                Ending::Cancelled
            }
            _ => Ending::Finished,
        })
    }
}

/// One entry as one line of JSON.
fn print_line(entry: &Entry) -> Result<(), Failure> {
    let line = serde_json::to_string(entry).map_err(|error| {
        ErrorReply::new("output.failed", format!("An event could not be written: {error}."))
    })?;
    Ok(writeln!(std::io::stdout(), "{line}")?)
}

/// What the flow put out: a single value bare, several each under the name of its port.
fn print_outputs(view: &RunView) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let values: Vec<_> = view
        .outputs
        .iter()
        .flat_map(|(node, ports)| ports.iter().map(move |(port, value)| (format!("{node}.{port}"), value)))
        // Which context a node worked in is wiring, not a result.
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
