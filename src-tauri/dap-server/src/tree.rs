//! The journals of a run tree, as far as they have been watched.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use plait_api::runs::ShowRun;
use plait_api::{Connection, ErrorReply};
use plait_core::flow::Flow;
use plait_core::id::{Activation, NodeId, RunId};
use plait_insight::lineage::RecordedRun;
use plait_journal::view::RunOutline;
use plait_journal::{ChildEvent, DebugEvent, Entry, Event, StopCause};
use tokio::sync::mpsc::UnboundedSender;

use crate::codes;

/// How often a child run is looked for that is about to start, and how long to wait in between.
const MAX_START_TRIES: usize = 500;
const START_RETRY_DELAY: Duration = Duration::from_millis(10);

/// What happens in a run tree.
pub(crate) enum News {
    Entry(RunId, Box<Entry>),
    /// A run can't be watched any more.
    Lost(RunId, ErrorReply),
    /// Only a person can make the root go on. The number after its last event; none if it is not driven.
    Idle(Option<u64>),
}

/// One run.
#[derive(Default)]
pub(crate) struct RunLog {
    pub(crate) entries: Vec<Entry>,
    pub(crate) outline: RunOutline,
    /// The run that started it, and by which activation.
    pub(crate) parent: Option<(RunId, Activation)>,
}

/// A run and the runs below it.
pub(crate) struct Tree {
    app: Arc<Connection>,
    news: UnboundedSender<News>,
    pub(crate) root: RunId,
    runs: HashMap<RunId, RunLog>,
    flows: HashMap<RunId, Arc<Flow>>,
    /// Runs as they were after a number of events.
    folds: HashMap<(RunId, usize), Arc<RecordedRun>>,
    is_idle_awaited: bool,
    /// Whether what happens in it is watched.
    is_followed: bool,
}

impl Tree {
    /// A run tree that is watched from its first event on.
    pub(crate) fn watch(
        app: Arc<Connection>,
        root: RunId,
        flow: Arc<Flow>,
        news: UnboundedSender<News>,
    ) -> Self {
        let mut tree = Self::new(app, root, flow, news);
        tree.follow_all();
        tree
    }

    fn new(app: Arc<Connection>, root: RunId, flow: Arc<Flow>, news: UnboundedSender<News>) -> Self {
        Self {
            app,
            news,
            runs: HashMap::from([(root.clone(), RunLog::default())]),
            flows: HashMap::from([(root.clone(), flow)]),
            root,
            folds: HashMap::new(),
            is_idle_awaited: false,
            is_followed: false,
        }
    }

    /// A run tree as it is recorded until now. `entries` are those of the root.
    pub(crate) async fn recorded(
        app: Arc<Connection>,
        root: RunId,
        flow: Arc<Flow>,
        entries: Vec<Entry>,
        news: UnboundedSender<News>,
    ) -> Result<Self, ErrorReply> {
        let mut tree = Self::new(app, root.clone(), flow, news);
        let mut open = vec![(root, entries)];
        while let Some((run, entries)) = open.pop() {
            for entry in &entries {
                tree.apply(&run, entry);
                if let Event::Child(_, ChildEvent::Started { run: child }) = &entry.event
                    && tree.log(child).is_some_and(|log| log.entries.is_empty())
                {
                    let detail = tree.app.call(ShowRun { run: child.clone() }).await?;
                    tree.flows.insert(child.clone(), Arc::new(detail.flow));
                    open.push((child.clone(), detail.entries));
                }
            }
        }
        Ok(tree)
    }

    /// Watches all runs.
    pub(crate) fn follow_all(&mut self) {
        self.is_followed = true;
        let runs: Vec<RunId> = self.runs.keys().cloned().collect();
        for run in runs {
            self.follow(run);
        }
    }

    pub(crate) fn is_followed(&self) -> bool {
        self.is_followed
    }

    /// The breakpoints at which the runs stood still, one for each time.
    pub(crate) fn stops_at_breakpoints(&self) -> Vec<String> {
        let entries = self.runs.values().flat_map(|log| &log.entries);
        let stops = entries.filter_map(|entry| match &entry.event {
            Event::Debug(DebugEvent::Stopped { cause: StopCause::Breakpoint { id }, .. }) => Some(id.clone()),
            _ => None,
        });
        stops.collect()
    }

    /// Watches a run, also again after it was lost.
    pub(crate) fn follow(&self, run: RunId) {
        let from = self.runs.get(&run).map_or(0, |log| log.entries.len() as u64);
        let (app, news) = (Arc::clone(&self.app), self.news.clone());
        tokio::spawn(async move {
            let lost = |run, error| drop(news.send(News::Lost(run, error)));
            let mut tries = 0;
            let mut watch = loop {
                match app.watch(&run, from).await {
                    Ok(watch) => break watch,
                    // Its parent says that it starts it, and it is about to be there.
                    Err(error) if error.code == codes::RUN_UNKNOWN && tries < MAX_START_TRIES => {
                        tries += 1;
                        tokio::time::sleep(START_RETRY_DELAY).await;
                    }
                    Err(error) => return lost(run, error),
                }
            };
            while let Some(entry) = watch.next().await {
                match entry {
                    Ok(entry) => {
                        // Without a session, nobody wants it.
                        if news.send(News::Entry(run.clone(), Box::new(entry))).is_err() {
                            return;
                        }
                    }
                    Err(error) => return lost(run, error),
                }
            }
        });
    }

    /// Has the next [`News::Idle`] sent, once.
    pub(crate) fn await_idle(&mut self) {
        if std::mem::replace(&mut self.is_idle_awaited, true) {
            return;
        }
        let (app, root, news) = (Arc::clone(&self.app), self.root.clone(), self.news.clone());
        tokio::spawn(async move { drop(news.send(News::Idle(app.idle_tree(&root).await))) });
    }

    /// Takes note of [`News::Idle`].
    pub(crate) fn note_idle(&mut self) {
        self.is_idle_awaited = false;
    }

    /// Takes an entry of a run. Those that are in no journal, such as partial output, are passed over. Returns whether it is new.
    pub(crate) fn apply(&mut self, run: &RunId, entry: &Entry) -> bool {
        let log = self.runs.entry(run.clone()).or_default();
        if entry.seq != Some(log.entries.len() as u64) {
            return false;
        }
        log.outline.apply(entry);
        log.entries.push(entry.clone());
        if let Event::Child(at, ChildEvent::Started { run: child }) = &entry.event
            && !self.runs.contains_key(child)
        {
            let parent = Some((run.clone(), at.clone()));
            self.runs.insert(child.clone(), RunLog { parent, ..RunLog::default() });
            if self.is_followed {
                self.follow(child.clone());
            }
        }
        true
    }

    pub(crate) fn log(&self, run: &RunId) -> Option<&RunLog> {
        self.runs.get(run)
    }

    /// The root's.
    pub(crate) fn outline(&self) -> Option<&RunOutline> {
        self.runs.get(&self.root).map(|log| &log.outline)
    }

    pub(crate) fn runs(&self) -> impl Iterator<Item = (&RunId, &RunLog)> {
        self.runs.iter()
    }

    /// The `subflow` nodes that lead to a run, the outermost first.
    pub(crate) fn path(&self, run: &RunId) -> Vec<NodeId> {
        let mut path = Vec::new();
        let mut next = self.runs.get(run);
        while let Some((parent, at)) = next.and_then(|log| log.parent.as_ref()) {
            path.push(at.node.clone());
            next = self.runs.get(parent);
        }
        path.reverse();
        path
    }

    /// The flow that a run runs.
    pub(crate) async fn flow(&mut self, run: &RunId) -> Result<Arc<Flow>, ErrorReply> {
        if let Some(flow) = self.flows.get(run) {
            return Ok(Arc::clone(flow));
        }
        let flow = Arc::new(self.app.call(ShowRun { run: run.clone() }).await?.flow);
        self.flows.insert(run.clone(), Arc::clone(&flow));
        Ok(flow)
    }

    /// A run as it was after so many of its events.
    pub(crate) async fn fold(&mut self, run: &RunId, events: usize) -> Result<Arc<RecordedRun>, ErrorReply> {
        let key = (run.clone(), events);
        if let Some(fold) = self.folds.get(&key) {
            return Ok(Arc::clone(fold));
        }
        let flow = self.flow(run).await?;
        let entries = self.runs.get(run).map_or(&[][..], |log| &log.entries);
        let events = events.min(entries.len());
        let fold = Arc::new(RecordedRun::new(run.clone(), &entries[..events], Some(Flow::clone(&flow))));
        self.folds.insert(key, Arc::clone(&fold));
        Ok(fold)
    }

    /// Forgets the folds: the session looks at another moment.
    pub(crate) fn forget_folds(&mut self) {
        self.folds.clear();
    }
}
