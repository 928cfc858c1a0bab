//! From `launch` or `attach` over the breakpoints to `configurationDone`.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use plait_api::flows::nodes_with_subflows;
use plait_api::runs::answers::Answers;
use plait_api::runs::{
    BreakpointChecker, DropBreakpoint, FindHeld, PutBreakpoint, ResumeRun, ShowRun, StartRun,
};
use plait_api::{Connection, ErrorReply};
use plait_core::diagnostic::Diagnostic;
use plait_core::flow::Flow;
use plait_core::id::NodeId;
use plait_journal::{Breakpoint, DebugVerb, Side, StopEvent};
use serde_json::{Value, json};

use super::{Debuggee, Origin, Session, Stop, out_of_order};
use crate::breakpoints::{ENTRY, Kind, Set, as_written, at_node, of_filter};
use crate::codes;
use crate::launch::{Program, find_run, read_program, request};
use crate::protocol::Asked;
use crate::protocol::bodies::{self, BreakpointEvent, OutputEvent};
use crate::protocol::requests::{
    AttachArguments, DataBreakpointInfoArguments, ExceptionFilterOptions, LaunchArguments,
    SetBreakpointsArguments, SetDataBreakpointsArguments, SetExceptionBreakpointsArguments,
    SetFunctionBreakpointsArguments,
};
use crate::sources::Sources;
use crate::tree::Tree;
use crate::variables::ScopeKind;

impl Session {
    /// Opens the data directory and reads the flow. The run begins, and this is answered, when the editor has set its breakpoints.
    pub(super) async fn launch(
        &mut self,
        arguments: LaunchArguments,
        asked: &Asked,
    ) -> Result<(), ErrorReply> {
        let program =
            read_program(&arguments.program).inspect_err(|error| self.print_diagnostics(error, None))?;
        let app = self.open().await?;
        let shown = arguments.program.clone();
        let (stops_on_entry, stops) = (arguments.stop_on_entry && !arguments.no_debug, !arguments.no_debug);
        let answers = arguments.answers.clone();
        let Program { flow, path } = &program;
        let (flow, path) = (flow.clone(), path.clone());
        let request = request(&app, program, arguments).await?;
        let origin =
            Origin::Launch { request: Some(Box::new(request)), asked: asked.clone(), stops_on_entry, stops };
        self.prepare(app, flow, path.as_deref(), answers, origin)?;
        self.debuggee()?.sources.note_path(&shown);
        self.outbox.event("initialized", &Value::Null);
        Ok(())
    }

    /// Opens the data directory and reads the run.
    pub(super) async fn attach(
        &mut self,
        arguments: AttachArguments,
        asked: &Asked,
    ) -> Result<(), ErrorReply> {
        let app = self.open().await?;
        let run = find_run(&app, &arguments.run).await?;
        let detail = app.call(ShowRun { run: run.clone() }).await?;
        let root = detail.above.first().map_or_else(|| run.clone(), |root| root.run.clone());
        let detail = if root == run { detail } else { app.call(ShowRun { run: root.clone() }).await? };
        let (flow, path) = (detail.flow, detail.summary.path);
        let tree = Tree::recorded(
            Arc::clone(&app),
            root.clone(),
            Arc::new(flow.clone()),
            detail.entries,
            self.news.clone(),
        )
        .await?;
        let origin = Origin::Attach { asked: asked.clone() };
        self.prepare(app, flow, path.as_deref(), arguments.answers, origin)?;
        for id in tree.stops_at_breakpoints() {
            self.breakpoints.count(&id);
        }
        self.debuggee()?.tree = Some(tree);
        self.outbox.event("initialized", &Value::Null);
        Ok(())
    }

    async fn open(&mut self) -> Result<Arc<Connection>, ErrorReply> {
        if self.debuggee.is_some() {
            return Err(out_of_order("This session debugs something already.".to_owned())
                .hint("Start another `plait dap` for another run."));
        }
        if self.app.is_none()
            && let Some(opening) = self.opening.take()
        {
            self.app = Some(Arc::new(Connection::open(opening).await?));
        }
        self.app.clone().ok_or_else(|| {
            ErrorReply::new(codes::DAP_ORDER, "The data directory could not be opened in this session.")
                .hint("Start another one.")
        })
    }

    fn prepare(
        &mut self,
        app: Arc<Connection>,
        flow: Flow,
        path: Option<&str>,
        answers: Vec<String>,
        origin: Origin,
    ) -> Result<(), ErrorReply> {
        let registry = Arc::new(plait_nodes::registry());
        let nodes = nodes_with_subflows(&flow, path, &registry);
        let sources = Sources::of(&flow, path, &registry);
        // Why a flow can't be planned is said when it is to run.
        let checker = BreakpointChecker::new(&flow, path.map(str::to_owned), registry, Arc::default()).ok();
        let answers = Answers::read(answers, nodes.clone());
        self.debuggee = Some(Debuggee {
            app,
            flow: Arc::new(flow),
            sources,
            nodes,
            checker,
            origin,
            tree: None,
            applied: BTreeSet::new(),
            stops: Vec::new(),
            past: None,
            verb: DebugVerb::Continue,
            answers: Answers::default(),
            shown_questions: HashSet::new(),
            idle_at: None,
            has_ended: false,
        });
        self.debuggee()?.answers = answers?;
        Ok(())
    }

    /// `setBreakpoints`: replaces those of one source.
    pub(super) async fn set_line_breakpoints(
        &mut self,
        arguments: SetBreakpointsArguments,
    ) -> Result<Value, ErrorReply> {
        let SetBreakpointsArguments { source, breakpoints } = arguments;
        self.debuggee()?;
        if let Some(path) = &source.path {
            self.debuggee()?.sources.note_path(path);
        }
        let (mut sets, mut shown) = (Vec::new(), Vec::new());
        for asked in &breakpoints {
            let line = self.own_line(asked.line);
            let debuggee = self.debuggee()?;
            let found = debuggee.sources.nodes_at(&source, line);
            let made = match &found {
                None if !debuggee.sources.has(&source) => {
                    Err("The flow that is debugged does not run this file.".to_owned())
                }
                None => Err("No node is written in this line.".to_owned()),
                Some(found) => {
                    let at = |path: &Vec<NodeId>| at_node(path.clone(), found.node.clone(), asked);
                    found.paths.iter().map(at).collect::<Result<Vec<_>, _>>()
                }
            };
            let (set, mut body) = self.check(made, asked.hit_condition.as_deref());
            if let Some(found) = found {
                body.line = Some(self.shown_line(found.first_line));
                body.end_line = Some(self.shown_line(found.last_line));
            } else {
                body.line = Some(asked.line);
            }
            body.source = Some(source.clone());
            sets.extend(set);
            shown.push(body);
        }
        self.breakpoints.replace_lines(&source, sets);
        self.sync(&mut shown).await?;
        Ok(json!({ "breakpoints": shown }))
    }

    /// `setFunctionBreakpoints`: breakpoints as they are written on the command line.
    pub(super) async fn set_function_breakpoints(
        &mut self,
        arguments: SetFunctionBreakpointsArguments,
    ) -> Result<Value, ErrorReply> {
        let nodes = self.debuggee()?.nodes.clone();
        let made = arguments.breakpoints.iter().map(|asked| {
            let breakpoint = as_written(&asked.name, asked.condition.as_deref(), |node| nodes.contains(node));
            (breakpoint, asked.hit_condition.as_deref())
        });
        let made: Vec<_> = made.collect();
        self.replace(Kind::Function, made).await
    }

    /// `setExceptionBreakpoints`: which failures and other events stop.
    pub(super) async fn set_exception_breakpoints(
        &mut self,
        arguments: SetExceptionBreakpointsArguments,
    ) -> Result<Value, ErrorReply> {
        self.debuggee()?;
        let plain = arguments
            .filters
            .into_iter()
            .map(|filter_id| ExceptionFilterOptions { filter_id, condition: None });
        let all = plain.chain(arguments.filter_options);
        let made: Vec<_> = all.map(|options| (of_filter(&options), None)).collect();
        self.replace(Kind::Exception, made).await
    }

    /// `dataBreakpointInfo`: an input or output, or a context.
    pub(super) fn data_breakpoint_info(
        &mut self,
        arguments: &DataBreakpointInfoArguments,
    ) -> Result<Value, ErrorReply> {
        let refuse = |why: &str| Ok(json!({ "dataId": null, "description": why }));
        let Some(reference) = arguments.variables_reference else {
            return refuse("Expressions have no data breakpoints: choose an input, an output or a context.");
        };
        let container = self.containers.get(reference)?.clone();
        let Some((kind, frame)) = container.scope.filter(|_| container.path.is_empty()) else {
            return refuse("Only whole inputs, outputs and contexts have data breakpoints.");
        };
        let debuggee = self.running()?;
        let path = debuggee.tree.as_ref().map(|tree| tree.path(&frame.place.run)).unwrap_or_default();
        let (node, name) = (frame.place.at.node, arguments.name.as_str());
        let (breakpoint, description) = match kind {
            ScopeKind::Inputs => (
                Breakpoint {
                    path,
                    node: Some(node.clone()),
                    port: Some(name.into()),
                    side: Side::Before,
                    ..Breakpoint::default()
                },
                format!("a value comes in at {node}.{name}"),
            ),
            ScopeKind::Outputs => (
                Breakpoint {
                    path,
                    node: Some(node.clone()),
                    port: Some(name.into()),
                    side: Side::After,
                    ..Breakpoint::default()
                },
                format!("a value comes out at {node}.{name}"),
            ),
            ScopeKind::Context => (
                Breakpoint {
                    path,
                    event: Some(StopEvent::ContextChanged { context: Some(name.into()) }),
                    ..Breakpoint::default()
                },
                format!("the context {name} changes"),
            ),
            ScopeKind::Prompt => return refuse("A prompt that was sent does not change."),
        };
        Ok(
            json!({ "dataId": breakpoint.to_string(), "description": description, "accessTypes": ["write"], "canPersist": true }),
        )
    }

    /// `setDataBreakpoints`: those that `dataBreakpointInfo` named.
    pub(super) async fn set_data_breakpoints(
        &mut self,
        arguments: SetDataBreakpointsArguments,
    ) -> Result<Value, ErrorReply> {
        let nodes = self.debuggee()?.nodes.clone();
        let made = arguments.breakpoints.iter().map(|asked| {
            let breakpoint =
                as_written(&asked.data_id, asked.condition.as_deref(), |node| nodes.contains(node));
            (breakpoint, asked.hit_condition.as_deref())
        });
        let made: Vec<_> = made.collect();
        self.replace(Kind::Data, made).await
    }

    async fn replace(
        &mut self,
        kind: Kind,
        made: Vec<(Result<Breakpoint, String>, Option<&str>)>,
    ) -> Result<Value, ErrorReply> {
        let (mut sets, mut shown) = (Vec::new(), Vec::new());
        for (breakpoint, hits) in made {
            let (set, body) = self.check(breakpoint.map(|breakpoint| vec![breakpoint]), hits);
            sets.extend(set);
            shown.push(body);
        }
        self.breakpoints.replace(kind, sets);
        self.sync(&mut shown).await?;
        Ok(json!({ "breakpoints": shown }))
    }

    /// What the editor hears of a breakpoint, and the breakpoint itself if it can hold anything.
    fn check(
        &mut self,
        made: Result<Vec<Breakpoint>, String>,
        hits: Option<&str>,
    ) -> (Option<Set>, bodies::Breakpoint) {
        let number = self.breakpoints.next_number();
        let hits = hits.map(str::trim).filter(|hits| !hits.is_empty()).map(str::parse).transpose();
        let checker = self.debuggee.as_ref().and_then(|debuggee| debuggee.checker.as_ref());
        let set = made.and_then(|breakpoints| {
            let problem = checker.and_then(|checker| {
                breakpoints.iter().find_map(|breakpoint| checker.check(breakpoint).err())
            });
            match problem {
                Some(error) => Err(match &error.hint {
                    Some(hint) => format!("{} {hint} [{}]", error.message, error.code),
                    None => format!("{} [{}]", error.message, error.code),
                }),
                None => Ok(Set { number, breakpoints, hits: hits? }),
            }
        });
        let message = set.as_ref().err().cloned();
        let body = bodies::Breakpoint {
            id: number,
            verified: message.is_none(),
            message,
            source: None,
            line: None,
            end_line: None,
        };
        (set.ok(), body)
    }

    /// Gives the run the breakpoints that the editor has, and takes those away that it has no more, if the run has begun. Those that the
    /// run refuses are not verified.
    async fn sync(&mut self, shown: &mut [bodies::Breakpoint]) -> Result<(), ErrorReply> {
        let wanted = self.breakpoints.wanted();
        let debuggee = self.debuggee()?;
        let stops = matches!(debuggee.origin, Origin::Attach { .. } | Origin::Launch { stops: true, .. });
        let is_configured = match &debuggee.origin {
            Origin::Launch { request, .. } => request.is_none(),
            Origin::Attach { .. } => debuggee.tree.as_ref().is_some_and(Tree::is_followed),
        };
        if !is_configured || debuggee.has_ended || !stops {
            return Ok(());
        }
        let Some(root) = debuggee.tree.as_ref().map(|tree| tree.root.clone()) else { return Ok(()) };
        let gone: Vec<String> =
            debuggee.applied.iter().filter(|id| !wanted.contains_key(*id)).cloned().collect();
        for id in gone {
            debuggee.applied.remove(&id);
            match debuggee.app.call(DropBreakpoint { run: root.clone(), id }).await {
                // Somebody else removed it.
                Err(error) if error.code == codes::DEBUG_NO_BREAKPOINT => {}
                dropped => dropped?,
            }
        }
        for (id, breakpoint) in wanted {
            let debuggee = self.debuggee()?;
            if debuggee.applied.contains(&id) {
                continue;
            }
            match debuggee.app.call(PutBreakpoint { run: root.clone(), breakpoint }).await {
                Ok(_) => drop(debuggee.applied.insert(id)),
                Err(error) => {
                    let numbers = self.breakpoints.find(&id).map(|(_, numbers)| numbers).unwrap_or_default();
                    for body in shown.iter_mut().filter(|body| numbers.contains(&body.id)) {
                        (body.verified, body.message) =
                            (false, Some(format!("{} [{}]", error.message, error.code)));
                    }
                }
            }
        }
        Ok(())
    }

    /// `configurationDone`: begins the run, or goes on with the one that there is, and answers `launch` or `attach`.
    pub(super) async fn begin(&mut self, asked: &Asked) -> Result<(), ErrorReply> {
        let debuggee = self.debuggee()?;
        let is_done = match &debuggee.origin {
            Origin::Launch { request, .. } => request.is_none(),
            Origin::Attach { .. } => debuggee.tree.as_ref().is_none_or(Tree::is_followed),
        };
        if is_done {
            return Err(out_of_order("`configurationDone` came twice.".to_owned()));
        }
        let (first, begun) = match &debuggee.origin {
            Origin::Launch { asked, .. } => (asked.clone(), self.start().await),
            Origin::Attach { asked } => (asked.clone(), self.resume_attached().await),
        };
        self.outbox.respond(asked, Ok(Value::Null));
        if let Err(error) = begun {
            let file = self.debuggee.as_ref().map(|debuggee| &debuggee.sources);
            self.print_diagnostics(&error, file);
            self.outbox.respond(&first, Err(error));
            self.outbox.event("terminated", &Value::Null);
            return Ok(());
        }
        self.outbox.respond(&first, Ok(Value::Null));
        if let Some(tree) = self.debuggee.as_ref().and_then(|debuggee| debuggee.tree.as_ref()) {
            self.print("console", format!("Run {}", tree.root));
        }
        self.show_where_it_stands().await;
        Ok(())
    }

    async fn start(&mut self) -> Result<(), ErrorReply> {
        let wanted = self.breakpoints.wanted();
        let news = self.news.clone();
        let debuggee = self.debuggee()?;
        let Origin::Launch { request, stops_on_entry, stops, .. } = &mut debuggee.origin else {
            return Ok(());
        };
        let Some(mut request) = request.take() else { return Ok(()) };
        if *stops {
            debuggee.applied.extend(wanted.keys().cloned());
            request.breakpoints = wanted.into_values().collect();
        }
        if *stops_on_entry {
            // It is judged before the others, which may be at the same place.
            request.breakpoints.insert(0, Breakpoint { id: ENTRY.to_owned(), ..Breakpoint::default() });
        }
        let run = debuggee.app.call(StartRun(*request)).await?.run;
        debuggee.tree = Some(Tree::watch(Arc::clone(&debuggee.app), run, Arc::clone(&debuggee.flow), news));
        Ok(())
    }

    async fn resume_attached(&mut self) -> Result<(), ErrorReply> {
        let debuggee = self.debuggee()?;
        let Some(tree) = &mut debuggee.tree else { return Ok(()) };
        let root = tree.root.clone();
        let status = tree.outline().map(|outline| outline.status).unwrap_or_default();
        tree.follow_all();
        if status.is_final() {
            debuggee.has_ended = true;
            return Ok(());
        }
        let others = tree.outline().map(|outline| outline.breakpoints.clone()).unwrap_or_default();
        let held = debuggee.app.call(FindHeld { run: root.clone() }).await?;
        debuggee.stops = held.into_iter().rev().map(|held| Stop::new(held.run, &held.stop)).collect();
        let wanted = self.breakpoints.wanted();
        let applied =
            others.iter().filter(|other| wanted.contains_key(&other.id)).map(|other| other.id.clone());
        self.debuggee()?.applied.extend(applied);
        self.sync(&mut []).await?;
        self.show_others(others.iter().filter(|other| !wanted.contains_key(&other.id)).cloned());
        let debuggee = self.debuggee()?;
        debuggee.app.call(ResumeRun { run: root }).await
    }

    /// Shows breakpoints of the run that the editor does not have: those of a session before, or of another person.
    fn show_others(&mut self, others: impl Iterator<Item = Breakpoint>) {
        for breakpoint in others {
            let line = self.debuggee.as_ref().and_then(|debuggee| {
                let node = breakpoint.node.as_ref().filter(|_| breakpoint.side == Side::Before)?;
                debuggee.sources.line_of(&breakpoint.path, node)
            });
            let Some((source, line)) = line else {
                self.print(
                    "console",
                    format!("The run has the breakpoint `{breakpoint}`, which the editor does not show."),
                );
                continue;
            };
            let set =
                Set { number: self.breakpoints.next_number(), breakpoints: vec![breakpoint], hits: None };
            let (id, line) = (set.number, Some(self.shown_line(line)));
            let shown = bodies::Breakpoint {
                id,
                verified: true,
                message: None,
                source: Some(source),
                line,
                end_line: None,
            };
            if let Some(debuggee) = &mut self.debuggee {
                debuggee.applied.extend(set.breakpoints.iter().map(|breakpoint| breakpoint.id.clone()));
            }
            self.breakpoints.add_line(shown.source.as_ref(), set);
            self.outbox.event("breakpoint", &BreakpointEvent { reason: "new", breakpoint: shown });
        }
    }

    /// Shows the problems of a flow that can't run, each with its line.
    fn print_diagnostics(&self, error: &ErrorReply, sources: Option<&Sources>) {
        let problems = error.details.get("diagnostics").cloned().unwrap_or_default();
        let problems: Vec<Diagnostic> = serde_json::from_value(problems).unwrap_or_default();
        for problem in problems {
            let place = problem.node.and_then(|node| sources?.line_of(&[], &node));
            let output = format!("{} [{}]\n", problem.message, problem.code);
            let (source, line) = place.map(|(source, line)| (source, self.shown_line(line))).unzip();
            self.outbox.event("output", &OutputEvent { category: "stderr", output, source, line });
        }
    }
}
