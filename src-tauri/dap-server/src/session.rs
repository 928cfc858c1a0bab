//! A session with one editor: which requests there are, and in which order they come.
//!
//! One task does everything, in the order in which it comes: a request, or something that happens in the run.

mod configure;
mod control;
mod inspect;
mod news;
mod questions;
mod stops;

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use plait_api::runs::answers::Answers;
use plait_api::runs::{BreakpointChecker, RunRequest};
use plait_api::{Connection, ErrorReply, Opening};
use plait_core::flow::Flow;
use plait_core::id::{Activation, NodeId, RunId};
use plait_journal::DebugVerb;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::mpsc;

use crate::breakpoints::EditorBreakpoints;
use crate::codes;
use crate::moments::Moment;
use crate::protocol::bodies::{self, OutputEvent};
use crate::protocol::requests::{DisconnectArguments, InitializeArguments};
use crate::protocol::{Asked, Incoming, MessageKind, Outbox};
use crate::sources::Sources;
use crate::stack::Numbers;
use crate::tree::{News, Tree};
use crate::variables::Containers;
use stops::Stop;

/// What comes from the editor.
pub(crate) enum Signal {
    Message(Result<Incoming, ErrorReply>),
    /// The editor is gone, or what it sends is no message any more.
    Gone(Result<(), ErrorReply>),
}

pub(crate) struct Session {
    opening: Option<Opening>,
    /// The data directory, once it is open. It stays so if nothing can be debugged then.
    app: Option<Arc<Connection>>,
    outbox: Outbox,
    editor: Option<InitializeArguments>,
    /// What is debugged, once `launch` or `attach` has said so.
    debuggee: Option<Debuggee>,
    breakpoints: EditorBreakpoints,
    news: mpsc::UnboundedSender<News>,
    received_news: Option<mpsc::UnboundedReceiver<News>>,
    numbers: Numbers,
    containers: Containers,
    is_over: bool,
}

/// A run, or the flow that becomes one.
struct Debuggee {
    app: Arc<Connection>,
    flow: Arc<Flow>,
    sources: Sources,
    /// The nodes of the flow and of its sub-flows.
    nodes: BTreeSet<NodeId>,
    checker: Option<BreakpointChecker>,
    origin: Origin,
    /// The journals of the run, once it has begun.
    tree: Option<Tree>,
    /// The breakpoints of the run that are the editor's.
    applied: BTreeSet<String>,
    /// Where it stands still now, the whole or branches of it. The newest stop comes last.
    stops: Vec<Stop>,
    /// The moment of the past that is looked at.
    past: Option<Moment>,
    /// How it went on last.
    verb: DebugVerb,
    answers: Answers,
    /// The questions that the console has shown.
    shown_questions: HashSet<(RunId, Activation)>,
    /// The number after the root's last event when its tree was found idle.
    idle_at: Option<u64>,
    has_ended: bool,
}

enum Origin {
    /// The session begins it, when the editor has set its breakpoints.
    Launch { request: Option<Box<RunRequest>>, asked: Asked, stops_on_entry: bool, stops: bool },
    /// It is there already.
    Attach { asked: Asked },
}

impl Origin {
    fn is_launch(&self) -> bool {
        matches!(self, Self::Launch { .. })
    }
}

impl Session {
    pub(crate) fn new(opening: Opening, outbox: Outbox) -> Self {
        let (news, received_news) = mpsc::unbounded_channel();
        Self {
            opening: Some(opening),
            app: None,
            outbox,
            editor: None,
            debuggee: None,
            breakpoints: EditorBreakpoints::default(),
            news,
            received_news: Some(received_news),
            numbers: Numbers::default(),
            containers: Containers::default(),
            is_over: false,
        }
    }

    /// Serves the editor until it is gone. `dap.protocol`, and the errors of closing the data directory.
    pub(crate) async fn run(
        mut self,
        mut signals: mpsc::UnboundedReceiver<Signal>,
    ) -> Result<(), ErrorReply> {
        let mut news = self.received_news.take().unwrap_or_else(|| mpsc::unbounded_channel().1);
        let mut result = Ok(());
        while !self.is_over {
            tokio::select! {
                // What has happened comes before what the editor asks about it.
                biased;
                Some(news) = news.recv() => self.take_news(news).await,
                signal = signals.recv() => match signal {
                    Some(Signal::Message(Ok(message))) => self.take_message(message).await,
                    Some(Signal::Message(Err(error))) => self.print_error(&error),
                    Some(Signal::Gone(end)) => {
                        result = end;
                        break;
                    }
                    None => break,
                },
            }
        }
        if let Err(error) = &result {
            self.print_error(error);
        }
        let Self { app, outbox, .. } = self;
        // The editor need not wait until the data directory is closed.
        drop(outbox);
        if let Some(app) = app {
            if app.serves_others() {
                // What they began would be bought again by the process that goes on with it.
                app.others_idle().await;
            }
            app.close().await?;
        }
        result
    }

    async fn take_message(&mut self, message: Incoming) {
        // Nothing is asked of the editor, and events come from here.
        if message.kind != MessageKind::Request {
            return;
        }
        let asked = Asked::from(&message);
        match self.perform(&message, &asked).await {
            Ok(Reply::Now(body)) => self.outbox.respond(&asked, Ok(body)),
            Ok(Reply::Sent) => {}
            Err(error) => self.outbox.respond(&asked, Err(error)),
        }
    }

    async fn perform(&mut self, message: &Incoming, asked: &Asked) -> Result<Reply, ErrorReply> {
        let command = message.command.as_str();
        if self.editor.is_none() && command != "initialize" {
            return Err(out_of_order(format!("`{command}` came before `initialize`.")));
        }
        let done = |()| Reply::Now(Value::Null);
        let now = Reply::Now;
        match command {
            "initialize" => {
                if self.editor.is_some() {
                    return Err(out_of_order("`initialize` came twice.".to_owned()));
                }
                self.editor = Some(arguments(message)?);
                Ok(Reply::Now(bodies::capabilities()))
            }
            "launch" => self.launch(arguments(message)?, asked).await.map(|()| Reply::Sent),
            "attach" => self.attach(arguments(message)?, asked).await.map(|()| Reply::Sent),
            "setBreakpoints" => self.set_line_breakpoints(arguments(message)?).await.map(now),
            "setFunctionBreakpoints" => self.set_function_breakpoints(arguments(message)?).await.map(now),
            "setExceptionBreakpoints" => self.set_exception_breakpoints(arguments(message)?).await.map(now),
            "dataBreakpointInfo" => self.data_breakpoint_info(&arguments(message)?).map(now),
            "setDataBreakpoints" => self.set_data_breakpoints(arguments(message)?).await.map(now),
            "configurationDone" => self.begin(asked).await.map(|()| Reply::Sent),

            "continue" => {
                self.go_on(asked, DebugVerb::Continue, &message_thread(message)?).await.map(|()| Reply::Sent)
            }
            "next" => {
                self.go_on(asked, DebugVerb::Over, &message_thread(message)?).await.map(|()| Reply::Sent)
            }
            "stepIn" => {
                self.go_on(asked, DebugVerb::Into, &message_thread(message)?).await.map(|()| Reply::Sent)
            }
            "stepOut" => {
                self.go_on(asked, DebugVerb::Out, &message_thread(message)?).await.map(|()| Reply::Sent)
            }
            "stepBack" => self.step_back(asked).await.map(|()| Reply::Sent),
            "reverseContinue" => self.reverse_continue(asked).await.map(|()| Reply::Sent),
            "restartFrame" => self.restart_frame(asked, &arguments(message)?).await.map(|()| Reply::Sent),
            "pause" => self.pause().await.map(done),
            "terminate" => self.cancel().await.map(done),
            "disconnect" => {
                // Editors send it with nothing, or not at all.
                let arguments: DisconnectArguments = if message.arguments.is_null() {
                    DisconnectArguments::default()
                } else {
                    arguments(message)?
                };
                self.disconnect(&arguments).await.map(done)
            }

            "threads" => self.threads().await.map(now),
            "stackTrace" => self.stack_trace(&arguments(message)?).await.map(now),
            "scopes" => self.scopes(&arguments(message)?).map(now),
            "variables" => self.variables(&arguments(message)?).await.map(now),
            "setVariable" => self.set_variable(arguments(message)?).await.map(now),
            "evaluate" => self.evaluate(asked, arguments(message)?).await,
            "exceptionInfo" => self.exception_info(&arguments(message)?).map(now),
            "source" => self.source(&arguments(message)?).map(now),
            "plait/answer" => self.answer(arguments(message)?).await.map(now),
            other => {
                Err(ErrorReply::new(codes::DAP_UNKNOWN_REQUEST, format!("There is no request `{other}`.")))
            }
        }
    }

    fn debuggee(&mut self) -> Result<&mut Debuggee, ErrorReply> {
        self.debuggee.as_mut().ok_or_else(|| {
            out_of_order("Nothing is debugged yet.".to_owned()).hint("`launch` or `attach` comes first.")
        })
    }

    /// The debuggee with the journals of its run. `dap.order` before it has begun.
    fn running(&mut self) -> Result<&mut Debuggee, ErrorReply> {
        let debuggee = self.debuggee()?;
        if debuggee.tree.is_none() {
            return Err(
                out_of_order("The run has not begun.".to_owned()).hint("It begins with `configurationDone`.")
            );
        }
        Ok(debuggee)
    }

    /// Shows a text in the console.
    fn print(&self, category: &'static str, text: impl Into<String>) {
        let mut output = text.into();
        if !output.ends_with('\n') {
            output.push('\n');
        }
        self.outbox.event("output", &OutputEvent { category, output, source: None, line: None });
    }

    fn print_error(&self, error: &ErrorReply) {
        let hint = error.hint.as_ref().map(|hint| format!("\n  help: {hint}")).unwrap_or_default();
        self.print("stderr", format!("{} [{}]{hint}", error.message, error.code));
    }

    /// A line as the editor counts it.
    fn shown_line(&self, line: i64) -> i64 {
        if self.editor.as_ref().is_none_or(|editor| editor.lines_start_at_1) { line } else { line - 1 }
    }

    /// A line of the editor, counted from 1.
    fn own_line(&self, line: i64) -> i64 {
        if self.editor.as_ref().is_none_or(|editor| editor.lines_start_at_1) {
            line
        } else {
            line.saturating_add(1)
        }
    }

    fn first_column(&self) -> i64 {
        i64::from(self.editor.as_ref().is_none_or(|editor| editor.columns_start_at_1))
    }

    /// Forgets what the editor has seen of the last stop: what follows has other numbers.
    fn forget_numbers(&mut self) {
        self.numbers.forget_frames();
        self.containers.clear();
        if let Some(tree) = self.debuggee.as_mut().and_then(|debuggee| debuggee.tree.as_mut()) {
            tree.forget_folds();
        }
    }

    /// The same where a stop is over: while others are not, what the editor has seen of them stays as it is.
    fn forget_left(&mut self) {
        if self.debuggee.as_ref().is_none_or(|debuggee| debuggee.stops.is_empty()) {
            self.forget_numbers();
        } else {
            self.containers.forget_values();
        }
    }
}

/// Whether a response is still to be sent.
enum Reply {
    Now(Value),
    /// It was sent, or is sent later: what follows from the request must not come before it.
    Sent,
}

/// `dap.arguments`.
fn arguments<T: DeserializeOwned>(message: &Incoming) -> Result<T, ErrorReply> {
    let given = if message.arguments.is_null() {
        Value::Object(serde_json::Map::new())
    } else {
        message.arguments.clone()
    };
    serde_json::from_value(given).map_err(|error| {
        ErrorReply::new(
            codes::DAP_ARGUMENTS,
            format!("The arguments of `{}` can't be read: {error}.", message.command),
        )
    })
}

fn message_thread(message: &Incoming) -> Result<crate::protocol::requests::ThreadArguments, ErrorReply> {
    arguments(message)
}

fn out_of_order(message: String) -> ErrorReply {
    ErrorReply::new(codes::DAP_ORDER, message)
        .hint("The order is `initialize`, `launch` or `attach`, breakpoints, `configurationDone`.")
}
