//! The application as a program uses it: opened in this process, or in another one that has the data directory already.
//!
//! One process, the *owner*, writes a data directory. It may serve the commands of the api to other processes of the same person on a
//! local socket ([`server`]); they are its *clients* ([`client`]). A [`Connection`] is either of both, or one to a host of another machine. When the owner ends, each client
//! that still needs the application opens the data directory itself, or connects to the one that was faster.

mod client;
mod frames;
mod server;
mod socket;
mod watch;

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use parking_lot::Mutex;
use plait_adapters::hosts::{HostAccess, HostClient};
use plait_core::flow::Flow;
use plait_core::id::RunId;

use crate::codes;
use crate::command::Command;
use crate::hosts::{HostCommand, PublishedVersion, RemoteHost};
use crate::{ErrorReply, Options, Plait};

use client::Client;
pub use server::Serving;
pub use watch::ConnectionWatch;

/// How often the data directory is asked for while another process has it and does not serve, and how long to wait in between. An owner
/// that ends takes some seconds: it lets commands of its clients end, and stores its runs.
const OPEN_TRIES: usize = 150;
const OPEN_RETRY_DELAY: Duration = Duration::from_millis(100);

/// How to get hold of the application.
pub struct Opening {
    /// How to open the data directory here. Called for each try.
    pub options: Box<dyn Fn() -> Options + Send + Sync>,
    /// Whether this process, once it is the owner, serves others.
    pub serves: bool,
    /// Whether to wait a few seconds for an owner that does not serve.
    pub waits: bool,
    /// Called with `store.locked` when the waiting begins.
    pub on_wait: fn(&ErrorReply),
    /// Called each time the data directory was opened here.
    pub on_open: fn(&Plait),
}

/// The application, in this process or in another one.
pub struct Connection {
    /// How to open it again when the owner ends. Nothing if it is in this process for good.
    opening: Option<Opening>,
    place: Mutex<Place>,
    /// Held while it is opened again, so that one of several calls does it.
    reopening: tokio::sync::Mutex<()>,
}

#[derive(Clone)]
enum Place {
    Here {
        plait: Arc<Plait>,
        serving: Option<Arc<Serving>>,
    },
    Elsewhere(Client),
    /// On another machine.
    OnHost(RemoteHost),
}

impl From<Plait> for Connection {
    fn from(plait: Plait) -> Self {
        Self {
            opening: None,
            place: Mutex::new(Place::Here { plait: Arc::new(plait), serving: None }),
            reopening: tokio::sync::Mutex::default(),
        }
    }
}

impl Connection {
    /// Opens the data directory, or connects to the process that has it. `store.locked` if that one does not serve,
    /// `owner.other_version`, `owner.unreadable`, and the errors of [`Plait::open`].
    pub async fn open(opening: Opening) -> Result<Self, ErrorReply> {
        let place = Mutex::new(opening.place().await?);
        Ok(Self { opening: Some(opening), place, reopening: tokio::sync::Mutex::default() })
    }

    /// A host of another machine. `hosts.unreachable`.
    pub fn to_host(access: HostAccess) -> Result<Self, ErrorReply> {
        let host = RemoteHost::new(HostClient::new(access)?);
        Ok(Self {
            opening: None,
            place: Mutex::new(Place::OnHost(host)),
            reopening: tokio::sync::Mutex::default(),
        })
    }

    /// Executes a command that only hosts have. `command.unknown` elsewhere.
    pub async fn call_host<C: HostCommand>(&self, command: C) -> Result<C::Reply, ErrorReply> {
        self.host()?.execute(command).await
    }

    /// Has a host serve a flow that has its sub-flows in it, as the next version under a name.
    pub async fn publish(&self, name: String, flow: Flow) -> Result<PublishedVersion, ErrorReply> {
        self.host()?.publish(name, flow).await
    }

    /// Begins a run of a flow that a host serves.
    pub async fn run_published(&self, name: &str, args: &serde_json::Value) -> Result<RunId, ErrorReply> {
        self.host()?.run_published(name, args).await
    }

    /// The name of the host in the list of hosts, if the application is on another machine.
    pub fn host_name(&self) -> Option<String> {
        match self.place() {
            Place::OnHost(host) => Some(host.name().to_owned()),
            Place::Here { .. } | Place::Elsewhere(_) => None,
        }
    }

    fn host(&self) -> Result<RemoteHost, ErrorReply> {
        match self.place() {
            Place::OnHost(host) => Ok(host),
            Place::Here { .. } | Place::Elsewhere(_) => {
                Err(ErrorReply::new(codes::COMMAND_UNKNOWN, "Only hosts have this command."))
            }
        }
    }

    /// Executes a command. If the owner ends before it begins with it, the command is executed by the next one, and so is a repeatable one
    /// if the owner ends meanwhile; for others, that is `owner.lost`.
    pub async fn call<C: Command>(&self, command: C) -> Result<C::Reply, ErrorReply>
    where
        Plait: AsRef<C::Service>,
    {
        let mut client = match self.place() {
            Place::Here { plait, .. } => return plait.call(command).await,
            Place::OnHost(host) => return frames::from_value(host.call(C::NAME, &command).await?),
            Place::Elsewhere(client) => client,
        };
        let args = frames::to_value(&command)?;
        loop {
            match client.call(C::NAME, args.clone()).await {
                Err(error) if error.code == codes::OWNER_CLOSED => {}
                Err(error) if error.code == codes::OWNER_LOST && C::IS_REPEATABLE => {}
                reply => return frames::from_value(reply?),
            }
            client = match self.reopen(&client).await? {
                Place::Here { plait, .. } => return plait.call(frames::from_value::<C>(args)?).await,
                Place::OnHost(host) => return frames::from_value(host.call(C::NAME, &args).await?),
                Place::Elsewhere(client) => client,
            };
        }
    }

    /// Watches a run from `from_seq` on, as [`crate::runs::RunService::watch`] does. `owner.lost` is its last item if the owner ends before
    /// the run; it can be watched again then.
    pub async fn watch(&self, run: &RunId, from_seq: u64) -> Result<ConnectionWatch, ErrorReply> {
        loop {
            match self.place() {
                Place::Here { plait, .. } => {
                    return Ok(ConnectionWatch::here(plait.runs().watch(run, from_seq).await?));
                }
                Place::OnHost(host) => return Ok(ConnectionWatch::on_host(host.watch(run, from_seq, false))),
                Place::Elsewhere(client) => match client.watch(run, from_seq).await {
                    Err(error) if error.code == codes::OWNER_CLOSED => drop(self.reopen(&client).await?),
                    watch => return Ok(ConnectionWatch::elsewhere(watch?)),
                },
            }
        }
    }

    /// Resolves when a run tree can go on only by what a person does, as [`crate::runs::RunService::idle_tree`] does. Never if the owner
    /// ends: what watches the run says so.
    pub async fn idle_tree(&self, root: &RunId) -> Option<u64> {
        match self.place() {
            Place::Here { plait, .. } => plait.runs().idle_tree(root).await,
            Place::Elsewhere(client) => match client.idle_tree(root).await {
                Ok(seq) => seq,
                Err(_) => std::future::pending().await,
            },
            Place::OnHost(host) => match host.idle(root).await {
                Ok(seq) => Some(seq),
                // What watches the run says why.
                Err(_) => std::future::pending().await,
            },
        }
    }

    /// Resolves when a run is no longer driven.
    pub async fn settled(&self, run: &RunId) {
        match self.place() {
            Place::Here { plait, .. } => plait.runs().settled(run).await,
            // An owner that ended drives nothing.
            Place::Elsewhere(client) => drop(client.settled(run).await),
            // One that cannot be asked shows nothing more.
            Place::OnHost(host) => drop(host.settled(run).await),
        }
    }

    /// Resolves when closing would interrupt no run that is driven here and no command of others, if this process serves others.
    pub async fn others_idle(&self) {
        let Place::Here { plait, serving: Some(serving) } = self.place() else { return };
        loop {
            plait.runs().all_idle().await;
            serving.idle().await;
            // A command may have begun a run.
            if plait.runs().all_idle().now_or_never().is_some() {
                return;
            }
        }
    }

    /// Whether other processes are connected to this one.
    pub fn serves_others(&self) -> bool {
        match self.place() {
            Place::Here { serving, .. } => serving.is_some_and(|serving| serving.has_clients()),
            Place::Elsewhere(_) | Place::OnHost(_) => false,
        }
    }

    /// The application, if it is in this process.
    pub fn here(&self) -> Option<Arc<Plait>> {
        match self.place() {
            Place::Here { plait, .. } => Some(plait),
            Place::Elsewhere(_) | Place::OnHost(_) => None,
        }
    }

    /// Closes the application if it is in this process: its clients go on elsewhere. An owner in another process stays.
    pub async fn close(&self) -> Result<(), ErrorReply> {
        let Place::Here { plait, serving } = self.place() else { return Ok(()) };
        if let Some(serving) = serving {
            serving.stop().await;
        }
        plait.close().await
    }

    fn place(&self) -> Place {
        self.place.lock().clone()
    }

    /// Finds the application again after its owner has ended.
    async fn reopen(&self, lost: &Client) -> Result<Place, ErrorReply> {
        let _guard = self.reopening.lock().await;
        let place = self.place();
        match (&place, &self.opening) {
            // Another call did it.
            (Place::Here { .. } | Place::OnHost(_), _) | (_, None) => Ok(place),
            (Place::Elsewhere(client), _) if !client.is_same(lost) => Ok(place),
            (_, Some(opening)) => {
                let place = opening.place().await?;
                *self.place.lock() = place.clone();
                Ok(place)
            }
        }
    }
}

impl Opening {
    async fn place(&self) -> Result<Place, ErrorReply> {
        let mut has_waited = false;
        for attempt in 0.. {
            let options = (self.options)();
            let (home, user) = (options.home.clone(), options.user.clone());
            let locked = match Plait::open(options) {
                Ok(plait) => {
                    (self.on_open)(&plait);
                    let serving = if self.serves { Serving::begin(&plait) } else { None };
                    return Ok(Place::Here { plait: Arc::new(plait), serving: serving.map(Arc::new) });
                }
                Err(error) if error.code == codes::STORE_LOCKED => error,
                Err(error) => return Err(error),
            };
            match Client::connect(&home, user.as_deref()).await {
                Ok(client) => return Ok(Place::Elsewhere(client)),
                // Nobody listens, or the owner is just ending.
                Err(error) if error.code == codes::OWNER_CLOSED => {}
                Err(error) => return Err(error),
            }
            if !self.waits || attempt >= OPEN_TRIES {
                return Err(locked);
            }
            if attempt > 0 && !std::mem::replace(&mut has_waited, true) {
                (self.on_wait)(&locked);
            }
            tokio::time::sleep(OPEN_RETRY_DELAY).await;
        }
        Err(ErrorReply::new(codes::OWNER_CLOSED, "The data directory is not served."))
    }
}
