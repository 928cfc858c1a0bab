//! Follows a run until it ends or waits for an answer that is not available: prints its events, answers its questions from
//! the command line or interactively, and cancels it on Ctrl+C.
//!
//! A question is answered, and the run left waiting, only when the whole run tree is idle. Before that, the run may say that it waits
//! although a child run has got an answer and goes on.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::Write as _;

use futures::FutureExt as _;
use plait_api::runs::{AnswerRun, CancelRun, EndPause, answer_text};
use plait_api::{ErrorReply, Plait};
use plait_core::attachment::Attachment;
use plait_core::id::{Activation, NodeId, RunId};
use plait_run::journal::{Entry, Event, RunEvent};
use plait_run::tool::ToolPauseKind;
use plait_run::view::{Asker, OpenPause, RunOutline, RunStatus};
use serde_json::Value;

use crate::codes;
use crate::ctrl_c::CtrlC;
use crate::exit::{CliError, ExitStatus, error_text};
use crate::json_lines::JsonLines;
use crate::progress::Progress;
use crate::prompt::{PromptReply, ask};
use crate::terminal::{self, print_error, stdout};

/// The answers of the command line.
pub(crate) struct Answers {
    /// Answers as they were written. One that begins with the id of a node and `=` answers that node; the others answer
    /// the first open question, in order.
    texts: VecDeque<String>,
    /// The nodes of the flow and of its sub-flows.
    nodes: BTreeSet<NodeId>,
    /// The attachments of the next answer to each node.
    pub(crate) attachments: BTreeMap<NodeId, Vec<Attachment>>,
    /// End the first pause without an answer.
    pub(crate) end_first: bool,
    /// The run that gets the answers without an address first: a child run that the command line names.
    pub(crate) first_asker: Option<RunId>,
}

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
}

impl Answers {
    /// Reads the answers of the command line for a run of this flow. `answer.unknown_node` if one names a node that is not `known`.
    pub(crate) fn read(texts: Vec<String>, known: BTreeSet<NodeId>) -> Result<Self, ErrorReply> {
        for text in &texts {
            if let Some((node, _)) = text.split_once('=').filter(|(node, _)| is_address(node))
                && !known.contains(node)
            {
                return Err(unknown_node(node, text, &known));
            }
        }
        let attachments = BTreeMap::new();
        Ok(Self { texts: texts.into(), nodes: known, attachments, end_first: false, first_asker: None })
    }

    /// Takes the answer to one of the open questions, with the question: an answer to a certain node first, then the next one
    /// that is for no certain node, for the first question that it may answer.
    fn take<'p>(&mut self, questions: Questions<'p>) -> Option<(&'p OpenPause, Value)> {
        let addressed = self.texts.iter().enumerate().find_map(|(at, text)| {
            let (node, answer) = text.split_once('=')?;
            let pause = questions.asked_by(node)?;
            Some((at, pause, read_addressed(pause, answer)))
        });
        if let Some((at, pause, answer)) = addressed {
            self.texts.remove(at);
            return Some((pause, answer));
        }
        let at = self.next_unaddressed()?;
        let text = &self.texts[at];
        let taken = questions.in_order().find_map(|pause| Some((pause, read_unaddressed(pause, text)?)))?;
        self.texts.remove(at);
        Some(taken)
    }

    fn next_unaddressed(&self) -> Option<usize> {
        let names_node = |text: &str| text.split_once('=').is_some_and(|(node, _)| self.nodes.contains(node));
        self.texts.iter().position(|text| !names_node(text))
    }
}

/// Whether what stands before the `=` of an answer reads like the name of a node. Text with blanks and the like is a sentence.
fn is_address(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphanumeric() || first == '_')
        && text.chars().all(|char| char.is_alphanumeric() || "_-./".contains(char))
}

fn unknown_node(node: &str, text: &str, known: &BTreeSet<NodeId>) -> ErrorReply {
    let names: Vec<String> = known.iter().map(|node| format!("`{node}`")).collect();
    let example = known.first().map_or("NODE", |node| node.as_str());
    let message = format!("There is no node `{node}` to answer; there are: {}.", names.join(", "));
    ErrorReply::new(codes::ANSWER_UNKNOWN_NODE, message)
        .hint(format!("If that is the answer itself, name its node: --answer '{example}={text}'"))
}

/// The answer that a text is for the question it was written for. Text that answers it in no way is left as it is, so that
/// the run rejects it with a reason.
fn read_addressed(pause: &OpenPause, text: &str) -> Value {
    match &pause.tool {
        // The question of a tool takes any text.
        Some(tool) if tool.kind != ToolPauseKind::Tool => {
            answer_text::parse_decision(&pause.schema, text, true)
                .unwrap_or_else(|| Value::String(text.to_owned()))
        }
        _ => answer_text::parse_answer(&pause.schema, text),
    }
}

/// The text as an answer to a question that may not be the expected one: a tool call may ask first. `None` if the text
/// could answer another question.
fn read_unaddressed(pause: &OpenPause, text: &str) -> Option<Value> {
    match pause.tool {
        Some(_) => answer_text::parse_decision(&pause.schema, text, false),
        None => Some(answer_text::parse_answer(&pause.schema, text)),
    }
}

/// The open questions of a run.
#[derive(Clone, Copy)]
struct Questions<'a> {
    outline: &'a RunOutline,
    /// The run that comes first.
    first_asker: Option<&'a RunId>,
}

impl<'a> Questions<'a> {
    /// In plan order, as far as that is known.
    fn in_order(self) -> impl Iterator<Item = &'a OpenPause> {
        let is_on = |on: &Activation, pause: &OpenPause| on.node == pause.node && on.epoch == pause.epoch;
        let listed = &self.outline.waiting_on;
        let mut pauses: Vec<_> = self.outline.pauses.iter().collect();
        pauses.sort_by_key(|pause| {
            let is_later = self
                .first_asker
                .is_some_and(|first| pause.asker.as_ref().is_none_or(|asker| asker.run != *first));
            (is_later, listed.iter().position(|on| is_on(on, pause)).unwrap_or(usize::MAX))
        });
        pauses.into_iter()
    }

    /// The name by which an answer finds a question: that of the node that asks, or of the node here that runs its flow if that is
    /// clearer.
    fn address(self, pause: &'a OpenPause) -> &'a NodeId {
        let asking = |pause: &'a OpenPause| pause.asker.as_ref().map_or(&pause.node, |asker| &asker.node);
        let is_only = |of: &dyn Fn(&'a OpenPause) -> &'a NodeId| {
            self.outline.pauses.iter().filter(|other| of(other) == of(pause)).count() == 1
        };
        if !is_only(&asking) && is_only(&|pause| &pause.node) { &pause.node } else { asking(pause) }
    }

    fn first(self) -> Option<&'a OpenPause> {
        self.in_order().next()
    }

    /// The question of a node, in this run or in a child run.
    fn asked_by(self, node: &str) -> Option<&'a OpenPause> {
        self.in_order().find(|pause| {
            pause.node.as_str() == node
                || pause.asker.as_ref().is_some_and(|asker| asker.node.as_str() == node)
        })
    }
}

/// The run that asks: the one that is followed, or a child run.
fn asker(run: &RunId, pause: &OpenPause) -> Asker {
    let own = || Asker { run: run.clone(), node: pause.node.clone(), epoch: pause.epoch.clone() };
    pause.asker.clone().unwrap_or_else(own)
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

    /// Answers an open question, if an answer is available. The run tree is idle.
    async fn answer(&mut self) -> Result<Next, CliError> {
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
