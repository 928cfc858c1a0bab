//! The side of a process that works with the application of another one.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures::{SinkExt as _, StreamExt as _};
use parking_lot::Mutex;
use plait_core::id::RunId;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;
use tokio::time::timeout;
use tokio_util::codec::Framed;

use super::frames::{
    Ask, Greeting, Hello, MAX_FRAME_BYTES, Request, Response, codec, decode, encode, unreadable,
};
use super::frames::{from_value, to_value};
use super::socket::{self, Stream};
use crate::ErrorReply;
use crate::codes;

/// How long the owner may take to greet.
const GREETING_TIMEOUT: Duration = Duration::from_secs(5);

/// A connection to the owner. Clones share it; it ends with the last one.
#[derive(Clone)]
pub(super) struct Client(Arc<Shared>);

struct Shared {
    requests: mpsc::UnboundedSender<Bytes>,
    pending: Arc<Mutex<Pending>>,
    next_id: AtomicU64,
    /// Ends the task that reads and writes.
    task: AbortHandle,
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The requests that wait for an answer.
#[derive(Default)]
struct Pending {
    answers: HashMap<u64, oneshot::Sender<Result<Value, ErrorReply>>>,
    /// Why there are no more answers.
    ended: Option<ErrorReply>,
}

impl Pending {
    /// No answer comes any more. Requests that are waiting get `error`; later ones were not sent.
    fn end(&mut self, error: &ErrorReply) {
        for (_, answer) in self.answers.drain() {
            // One that is gone does not want it.
            let _ = answer.send(Err(error.clone()));
        }
        self.ended.get_or_insert_with(closed);
    }
}

/// The error for what the owner has not begun, because it ends.
fn closed() -> ErrorReply {
    ErrorReply::new(codes::OWNER_CLOSED, "The process that had the data directory open has closed it.")
}

/// The error for what the owner may or may not have done.
fn lost() -> ErrorReply {
    ErrorReply::new(codes::OWNER_LOST, "The process that had the data directory open ended unexpectedly.")
        .hint("Look at what it did: `plait runs list`. Runs that it left can be resumed: `plait resume`.")
}

impl Client {
    /// Connects to the owner of a data directory, for a user. `owner.closed` if none listens, `owner.other_version`, `owner.unreadable` if
    /// something else does, `user.unknown`.
    pub(super) async fn connect(home: &Path, user: Option<&str>) -> Result<Self, ErrorReply> {
        let stream = socket::connect(home).await.map_err(|error| match error.kind() {
            io::ErrorKind::PermissionDenied => refused(&error),
            _ => closed(),
        })?;
        let mut framed = Framed::new(stream, codec(MAX_FRAME_BYTES));
        let greeting = timeout(GREETING_TIMEOUT, greet(&mut framed, user)).await;
        match greeting.unwrap_or_else(|_| Err(unreadable(&"there is no answer")))? {
            Greeting::Welcome => Ok(Self::begin(framed)),
            Greeting::Refused(error) => Err(error),
        }
    }

    fn begin(framed: Framed<impl Stream, tokio_util::codec::LengthDelimitedCodec>) -> Self {
        let (requests, to_send) = mpsc::unbounded_channel();
        let pending = Arc::new(Mutex::new(Pending::default()));
        let task = tokio::spawn(exchange(framed, to_send, Arc::clone(&pending))).abort_handle();
        Self(Arc::new(Shared { requests, pending, next_id: AtomicU64::new(0), task }))
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Executes a command.
    pub(super) async fn call(&self, name: &str, args: Value) -> Result<Value, ErrorReply> {
        self.send(Ask::Call { name: name.to_owned(), args })?.answer().await
    }

    pub(super) async fn watch(&self, run: &RunId, from: u64) -> Result<RemoteWatch, ErrorReply> {
        let asked = self.send(Ask::Watch { run: run.clone(), from })?;
        let watch = RemoteWatch { client: self.clone(), id: asked.id, next: None };
        asked.answer().await?;
        Ok(watch)
    }

    pub(super) async fn idle_tree(&self, run: &RunId) -> Result<Option<u64>, ErrorReply> {
        self.send(Ask::Idle { run: run.clone() })?.answer().await.and_then(from_value)
    }

    pub(super) async fn settled(&self, run: &RunId) -> Result<(), ErrorReply> {
        self.send(Ask::Settled { run: run.clone() })?.answer().await.map(drop)
    }

    fn send(&self, ask: Ask) -> Result<Asked, ErrorReply> {
        let id = self.0.next_id.fetch_add(1, Ordering::Relaxed);
        let is_call = matches!(ask, Ask::Call { .. });
        let frame = encode(&Request { id, ask })?;
        let (sender, receiver) = oneshot::channel();
        {
            let mut pending = self.0.pending.lock();
            if let Some(error) = &pending.ended {
                return Err(error.clone());
            }
            pending.answers.insert(id, sender);
        }
        // An exchange that has ended answers what is pending.
        let _ = self.0.requests.send(frame);
        Ok(Asked { client: self.clone(), id, answer: Some(receiver), is_call })
    }

    /// The owner need not answer a request any more.
    fn forget(&self, request: u64) {
        if let Ok(frame) = encode(&Request { id: request, ask: Ask::Drop { request } }) {
            let _ = self.0.requests.send(frame);
        }
    }
}

/// A request that waits for its answer. The owner hears of it when it is dropped before.
struct Asked {
    client: Client,
    id: u64,
    answer: Option<oneshot::Receiver<Result<Value, ErrorReply>>>,
    /// A command is executed to its end, also if nobody waits for its reply.
    is_call: bool,
}

impl Asked {
    /// Dropping the future loses nothing while the request lives.
    async fn wait(&mut self) -> Result<Value, ErrorReply> {
        let Some(answer) = &mut self.answer else { return Err(lost()) };
        let answered = answer.await;
        self.answer = None;
        answered.unwrap_or_else(|_| Err(lost()))
    }

    async fn answer(mut self) -> Result<Value, ErrorReply> {
        self.wait().await
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        if self.answer.is_some() {
            self.client.0.pending.lock().answers.remove(&self.id);
            if !self.is_call {
                self.client.forget(self.id);
            }
        }
    }
}

/// A watch that the owner keeps.
pub(super) struct RemoteWatch {
    client: Client,
    id: u64,
    next: Option<Asked>,
}

impl RemoteWatch {
    /// The next entries as JSON, `null` at the end. `owner.lost` if the owner is gone. Dropping the future loses nothing.
    pub(super) async fn next_batch(&mut self) -> Result<Value, ErrorReply> {
        let asked = match &mut self.next {
            Some(asked) => asked,
            none => none.insert(self.client.send(Ask::Next { watch: self.id }).map_err(|_| lost())?),
        };
        let answer = asked.wait().await;
        self.next = None;
        answer.map_err(|error| if error.code == codes::OWNER_CLOSED { lost() } else { error })
    }
}

impl Drop for RemoteWatch {
    fn drop(&mut self) {
        self.client.forget(self.id);
    }
}

async fn greet<S: Stream>(
    framed: &mut Framed<S, tokio_util::codec::LengthDelimitedCodec>,
    user: Option<&str>,
) -> Result<Greeting, ErrorReply> {
    let hello = encode(&to_value(&Hello::of(user))?)?;
    framed.send(hello).await.map_err(|_| closed())?;
    match framed.next().await {
        Some(Ok(frame)) => decode(&frame),
        Some(Err(error)) if error.kind() == io::ErrorKind::InvalidData => Err(unreadable(&error)),
        // It is just ending.
        Some(Err(_)) | None => Err(closed()),
    }
}

/// Sends requests and hands out answers until one side is gone.
async fn exchange<S: Stream>(
    framed: Framed<S, tokio_util::codec::LengthDelimitedCodec>,
    mut to_send: mpsc::UnboundedReceiver<Bytes>,
    pending: Arc<Mutex<Pending>>,
) {
    let (mut sink, mut stream) = framed.split();
    let writing = async {
        while let Some(frame) = to_send.recv().await {
            if sink.send(frame).await.is_err() {
                // The reading side says why.
                std::future::pending::<()>().await;
            }
        }
    };
    let reading = async {
        loop {
            let response = match stream.next().await {
                Some(Ok(frame)) => decode::<Response>(&frame),
                Some(Err(error)) if error.kind() == io::ErrorKind::InvalidData => Err(unreadable(&error)),
                Some(Err(_)) | None => Err(lost()),
            };
            let (id, answer) = match response {
                Ok(Response::Reply { id, value }) => (id, Ok(value)),
                Ok(Response::Failed { id, error }) => (id, Err(error)),
                Ok(Response::Closed) => return closed(),
                Err(error) => return error,
            };
            let asked = pending.lock().answers.remove(&id);
            if let Some(asked) = asked {
                // One that is gone does not want it.
                let _ = asked.send(answer);
            }
        }
    };
    let error = tokio::select! {
        error = reading => error,
        () = writing => closed(),
    };
    pending.lock().end(&error);
}

fn refused(error: &io::Error) -> ErrorReply {
    ErrorReply::new(
        codes::OWNER_REFUSED,
        format!("The process that has the data directory open can't be used: {error}."),
    )
    .hint("Close the other Plait, or choose another directory with `--home` or PLAIT_HOME.")
}
