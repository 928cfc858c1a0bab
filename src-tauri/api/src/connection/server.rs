//! The side of the owner: executes the commands of its clients and lets them watch runs.
//!
//! A command that was begun is executed to its end, also if its client is gone. What only waits (for a run to be idle, for the next entries
//! of a watch) ends with the client. A client that does not read what it asked for is dropped; runs never wait for one.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures::stream::SplitStream;
use futures::{FutureExt as _, SinkExt as _, StreamExt as _};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::{AbortHandle, JoinHandle, JoinSet};
use tokio::time::timeout;
use tokio_util::codec::{Framed, LengthDelimitedCodec};

use super::frames::{
    Ask, Greeting, Hello, MAX_FRAME_BYTES, MAX_HELLO_BYTES, Request, Response, codec, decode, encode,
    to_value,
};
use super::socket::{self, Listener, Stream};
use crate::runs::Watch;
use crate::{ErrorReply, Plait, codes, dispatch};

/// The minimum time between two batches of a watch, as in the window.
const FRAME: Duration = Duration::from_millis(16);

/// How long a client may take to say who it is, and to read one answer.
const HELLO_TIMEOUT: Duration = Duration::from_secs(5);
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long the end of the owner waits for commands that were begun, and for clients to read the replies.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// How long to wait after the system refused a connection.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// How many clients there are at once, and how many requests of one are worked on.
const MAX_CLIENTS: usize = 64;
const MAX_REQUESTS: usize = 128;

/// How many answers wait for a client that reads slowly.
const ANSWER_QUEUE: usize = 16;

/// Serves the application to other processes until it is stopped or dropped.
pub struct Serving {
    listening: Mutex<Option<JoinHandle<()>>>,
    state: Arc<State>,
}

struct State {
    /// Says that the owner ends: nothing is begun any more.
    ending: watch::Sender<bool>,
    clients: AtomicUsize,
    /// How many commands of clients are executed.
    commands: watch::Sender<usize>,
}

/// A command that is executed, until it is dropped.
struct Executed(watch::Sender<usize>);

impl Executed {
    fn begin(commands: &watch::Sender<usize>) -> Self {
        commands.send_modify(|count| *count += 1);
        Self(commands.clone())
    }
}

impl Drop for Executed {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        if let Some(listening) = self.listening.get_mut() {
            listening.abort();
        }
        self.state.ending.send_replace(true);
    }
}

impl Serving {
    /// Begins to serve an application that has its data directory open for writing. Nothing where that is not possible: other processes
    /// find the data directory locked then. Needs a runtime.
    pub fn begin(plait: &Plait) -> Option<Self> {
        let listener = socket::listen(plait.home()).ok()?;
        let state = Arc::new(State {
            ending: watch::channel(false).0,
            clients: AtomicUsize::new(0),
            commands: watch::channel(0).0,
        });
        let listening = tokio::spawn(listen(listener, plait.clone(), Arc::clone(&state)));
        Some(Self { listening: Mutex::new(Some(listening)), state })
    }

    /// Whether there are clients.
    pub fn has_clients(&self) -> bool {
        self.state.clients.load(Ordering::Acquire) > 0
    }

    /// Resolves when no command of a client is executed.
    pub async fn idle(&self) {
        // The sender lives as long as this.
        let _ = self.state.commands.subscribe().wait_for(|count| *count == 0).await;
    }

    /// Begins nothing more, and resolves when the commands that were begun are done and their clients have the replies, or after a
    /// timeout.
    pub async fn stop(&self) {
        let listening = self.listening.lock().take();
        if let Some(listening) = listening {
            listening.abort();
            // The socket is removed by then: later it would be that of the next owner.
            let _ = listening.await;
        }
        self.state.ending.send_replace(true);
        // A client that does not read, or a command without an end, must not keep the process.
        let _ = timeout(STOP_TIMEOUT, self.state.ending.closed()).await;
    }
}

async fn listen(listener: Listener, plait: Plait, state: Arc<State>) {
    let places = Arc::new(Semaphore::new(MAX_CLIENTS));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        match listener.accept().await {
            Ok(stream) => {
                let (plait, state, ending) = (plait.clone(), Arc::clone(&state), state.ending.subscribe());
                tokio::spawn(async move {
                    serve(stream, &plait, &state, ending).await;
                    drop(place);
                });
            }
            // A process of somebody else, or one that is gone already.
            Err(_) => tokio::time::sleep(ACCEPT_RETRY_DELAY).await,
        }
    }
}

/// Serves one client to its end.
async fn serve(stream: impl Stream, plait: &Plait, state: &State, mut ending: watch::Receiver<bool>) {
    let mut framed = Framed::new(stream, codec(MAX_HELLO_BYTES));
    let hello = tokio::select! {
        _ = ending.wait_for(|is_ending| *is_ending) => return,
        hello = timeout(HELLO_TIMEOUT, read_hello(&mut framed, plait)) => hello,
    };
    let plait = match hello {
        Ok(Some(Ok(plait))) => plait,
        Ok(Some(Err(error))) => {
            if let Ok(frame) = encode(&Greeting::Refused(error)) {
                // One that does not read it is dropped all the same.
                let _ = timeout(WRITE_TIMEOUT, framed.send(frame)).await;
            }
            return;
        }
        Ok(None) | Err(_) => return,
    };
    let Ok(welcome) = encode(&Greeting::Welcome) else { return };
    if !matches!(timeout(WRITE_TIMEOUT, framed.send(welcome)).await, Ok(Ok(()))) {
        return;
    }
    framed.codec_mut().set_max_frame_length(MAX_FRAME_BYTES);
    state.clients.fetch_add(1, Ordering::AcqRel);
    let (sink, stream) = framed.split();
    let (answers, to_send) = mpsc::channel(ANSWER_QUEUE);
    let commands = state.commands.clone();
    let session = Session { plait, answers, commands, waits: Arc::default(), watches: Arc::default() };
    let mut writing = pin!(write(sink, to_send));
    let is_owner_ending = tokio::select! {
        () = &mut writing => false,
        is_owner_ending = session.read(stream, ending.clone()) => is_owner_ending,
    };
    if is_owner_ending {
        // What was answered is still written.
        writing.await;
    }
    state.clients.fetch_sub(1, Ordering::AcqRel);
}

/// The application for the user that a client works for. Nothing if the client is gone.
async fn read_hello<S: Stream>(
    framed: &mut Framed<S, LengthDelimitedCodec>,
    plait: &Plait,
) -> Option<Result<Plait, ErrorReply>> {
    let frame = match framed.next().await? {
        Ok(frame) => frame,
        Err(error) => return Some(Err(super::frames::unreadable(&error))),
    };
    let hello = match decode::<Hello>(&frame) {
        Ok(hello) => hello,
        Err(error) => return Some(Err(error)),
    };
    let plait = plait.clone();
    let acting = crate::blocking::run_blocking(move || {
        hello.check()?;
        // Without one, not the user of the owner: that one may have been named for the owner alone.
        plait.acting_for(hello.user.as_deref())
    });
    Some(acting.await)
}

/// Writes answers. Returns when the client is gone or does not read.
async fn write(mut sink: impl futures::Sink<Bytes> + Unpin, mut to_send: mpsc::Receiver<Bytes>) {
    while let Some(frame) = to_send.recv().await {
        if !matches!(timeout(WRITE_TIMEOUT, sink.send(frame)).await, Ok(Ok(()))) {
            return;
        }
    }
}

/// One client.
struct Session {
    plait: Plait,
    answers: mpsc::Sender<Bytes>,
    /// How many commands of all clients are executed.
    commands: watch::Sender<usize>,
    /// What only waits, by request.
    waits: Arc<Mutex<HashMap<u64, AbortHandle>>>,
    watches: Arc<Mutex<HashMap<u64, Arc<tokio::sync::Mutex<Watch>>>>>,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.waits.lock().drain().for_each(|(_, wait)| wait.abort());
    }
}

impl Session {
    /// Reads requests until the client or the owner ends. Returns whether it is the owner: then all that was begun is answered.
    async fn read<S: Stream>(
        self,
        mut stream: SplitStream<Framed<S, LengthDelimitedCodec>>,
        mut ending: watch::Receiver<bool>,
    ) -> bool {
        // The tasks of commands are detached when this is dropped: they go on to their end.
        let mut calls = JoinSet::new();
        loop {
            let frame = tokio::select! {
                biased;
                _ = ending.wait_for(|is_ending| *is_ending) => break,
                frame = stream.next() => frame,
                Some(_) = calls.join_next() => continue,
            };
            // Nobody knows which request it was that can't be read.
            let request = frame.and_then(Result::ok).and_then(|frame| decode::<Request>(&frame).ok());
            let Some(request) = request else {
                calls.detach_all();
                return false;
            };
            if calls.len() + self.waits.lock().len() >= MAX_REQUESTS {
                self.answer(request.id, Err(too_many())).await;
                continue;
            }
            self.begin(request, &mut calls);
        }
        while calls.join_next().await.is_some() {}
        if let Ok(frame) = encode(&Response::Closed) {
            // A client that is gone needs no word.
            let _ = self.answers.send(frame).await;
        }
        true
    }

    fn begin(&self, Request { id, ask }: Request, calls: &mut JoinSet<()>) {
        match ask {
            Ask::Call { name, args } => {
                let (plait, answers) = (self.plait.clone(), self.answers.clone());
                let executed = Executed::begin(&self.commands);
                calls.spawn(async move {
                    let _executed = executed;
                    let reply = Box::pin(caught(dispatch(&plait, &name, args))).await;
                    send(&answers, id, reply).await;
                });
            }
            Ask::Watch { run, from } => {
                let (plait, watches) = (self.plait.clone(), Arc::clone(&self.watches));
                self.wait(id, async move {
                    let watch = plait.runs().watch(&run, from).await?;
                    watches.lock().insert(id, Arc::new(tokio::sync::Mutex::new(watch)));
                    Ok(Value::Null)
                });
            }
            Ask::Next { watch } => {
                let watch = self.watches.lock().get(&watch).cloned();
                self.wait(id, async move {
                    let Some(watch) = watch else { return Ok(Value::Null) };
                    match watch.lock().await.next_batch(FRAME).await {
                        Some(batch) => to_value(&batch?),
                        None => Ok(Value::Null),
                    }
                });
            }
            Ask::Idle { run } => {
                let plait = self.plait.clone();
                self.wait(id, async move { to_value(&plait.runs().idle_tree(&run).await) });
            }
            Ask::Settled { run } => {
                let plait = self.plait.clone();
                self.wait(id, async move {
                    plait.runs().settled(&run).await;
                    Ok(Value::Null)
                });
            }
            Ask::Drop { request } => {
                self.watches.lock().remove(&request);
                if let Some(wait) = self.waits.lock().remove(&request) {
                    wait.abort();
                }
            }
        }
    }

    /// Answers a request later, unless the client drops it.
    fn wait(&self, id: u64, work: impl Future<Output = Result<Value, ErrorReply>> + Send + 'static) {
        let (answers, waits) = (self.answers.clone(), Arc::clone(&self.waits));
        // Locked until it is in the table, so that its end cannot come before.
        let mut table = self.waits.lock();
        let task = tokio::spawn(async move {
            let reply = caught(work).await;
            waits.lock().remove(&id);
            send(&answers, id, reply).await;
        });
        table.insert(id, task.abort_handle());
    }

    async fn answer(&self, id: u64, reply: Result<Value, ErrorReply>) {
        send(&self.answers, id, reply).await;
    }
}

/// Sends an answer, or the error that it is too large. Waits while the client reads.
async fn send(answers: &mpsc::Sender<Bytes>, id: u64, reply: Result<Value, ErrorReply>) {
    let response = match reply {
        Ok(value) => Response::Reply { id, value },
        Err(error) => Response::Failed { id, error },
    };
    let frame = encode(&response).or_else(|error| encode(&Response::Failed { id, error }));
    if let Ok(frame) = frame {
        // A client that is gone needs no answer.
        let _ = answers.send(frame).await;
    }
}

/// What work comes to; `owner.panicked` if it breaks down. The client waits for an answer in any case.
async fn caught(work: impl Future<Output = Result<Value, ErrorReply>>) -> Result<Value, ErrorReply> {
    AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|_| {
        let message = "The command broke down in the process that has the data directory open.";
        Err(ErrorReply::new(codes::OWNER_PANICKED, message).hint(
            "This is a mistake in Plait; please report it. Close the other Plait, and run the command again.",
        ))
    })
}

fn too_many() -> ErrorReply {
    ErrorReply::new(codes::OWNER_REFUSED, format!("More than {MAX_REQUESTS} requests wait for an answer."))
}

#[cfg(test)]
mod tests;
