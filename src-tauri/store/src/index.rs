//! The derived index: a sled database of what the files say already. Owns the database and the one thread that uses it; refuses to
//! be waited for.
//!
//! | key | value |
//! |---|---|
//! | `r`, run | what the list of runs knows of the run |
//! | `c`, conversation | what the list of conversations knows of the conversation |
//! | `k`, reply key, run, seq | nothing: the event at this place is a reply with this key |
//! | `p`, run, seq | the reply key of that event |
//! | `v` | the version: how many groups of changes were written, and the checksum of the lists |
//!
//! A change is a message to the thread, which writes what came in together as one group. Everything that goes wrong with the
//! database (damage, a full disk, a lock, a hang) costs reading files again, never a run. The lists are loaded into memory when the
//! store opens. Only lookups of reply keys read the database later.

mod database;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use plait_core::id::ReplyKey;

use crate::log_file::Key;
use database::Database;

/// How long a change may be held back to go with others.
const GROUP_DELAY: Duration = Duration::from_millis(20);
/// How long opening the store waits for the database.
const MAX_OPEN_WAIT: Duration = Duration::from_secs(10);
/// How long a lookup waits for the thread.
const MAX_LOOKUP_WAIT: Duration = Duration::from_secs(2);
/// How long closing the store waits for the thread. One that hangs is left behind.
const MAX_CLOSE_WAIT: Duration = Duration::from_secs(5);
/// A thread that is behind by so many bytes hangs: it gets no more changes.
const MAX_PENDING_BYTES: usize = 256 << 20;

/// The lists that the index keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum List {
    Runs = b'r',
    Conversations = b'c',
}

/// What the database holds of the lists when it is opened.
#[derive(Debug, Default)]
pub(crate) struct StoredLists {
    pub(crate) runs: BTreeMap<Key, Vec<u8>>,
    pub(crate) conversations: BTreeMap<Key, Vec<u8>>,
}

impl StoredLists {
    fn of(&mut self, list: List) -> &mut BTreeMap<Key, Vec<u8>> {
        match list {
            List::Runs => &mut self.runs,
            List::Conversations => &mut self.conversations,
        }
    }
}

/// The place of an event: the run and the seq.
pub(crate) type Place = (Key, u64);

#[derive(Debug)]
enum Message {
    Put(Vec<u8>, Vec<u8>),
    Remove(Vec<u8>),
    PutReply(ReplyKey, Place),
    RemoveReplies(Key),
    /// Remove this file once everything before is written.
    RemoveFile(PathBuf),
    FindReplies(ReplyKey, Sender<Vec<Place>>),
    Close(Sender<()>),
}

impl Message {
    fn bytes(&self) -> usize {
        let content = match self {
            Self::Put(key, value) => key.len() + value.len(),
            Self::Remove(key) => key.len(),
            _ => 0,
        };
        content + size_of::<Self>()
    }
}

/// The sending end. One without a database forgets every change.
#[derive(Default)]
pub(crate) struct Index {
    queue: Mutex<Option<Sender<Message>>>,
    pending: Arc<AtomicUsize>,
}

impl Index {
    /// Opens the database in the data directory `home`; the caller has the store's lock. Never fails: without a database, or with
    /// one that can't be used, the lists are empty.
    pub(crate) fn open(home: &Path) -> (Self, StoredLists) {
        let (folder, pending) = (home.join("index"), Arc::<AtomicUsize>::default());
        let (queue, messages) = mpsc::channel();
        let (opened, wait) = mpsc::channel();
        let count = Arc::clone(&pending);
        let spawned = thread::Builder::new().name("plait-index".to_owned()).spawn(move || {
            let (database, lists) = Database::open(&folder).unzip();
            // The store has gone on without one that took too long.
            if opened.send(lists).is_ok() {
                Worker { database, messages, pending: count }.run();
            }
        });
        match spawned.ok().and_then(|_| wait.recv_timeout(MAX_OPEN_WAIT).ok()).flatten() {
            Some(lists) => (Self { queue: Mutex::new(Some(queue)), pending }, lists),
            None => (Self::default(), StoredLists::default()),
        }
    }

    /// What the database in `home` holds, for a process that only reads. Empty if it can't be used.
    pub(crate) fn read(home: &Path) -> StoredLists {
        Database::read(&home.join("index")).unwrap_or_default()
    }

    /// Replaces an entry of a list.
    pub(crate) fn put(&self, list: List, key: &Key, value: Vec<u8>) {
        self.send(Message::Put(database::list_key(list, key), value));
    }

    pub(crate) fn remove(&self, list: List, key: &Key) {
        self.send(Message::Remove(database::list_key(list, key)));
    }

    /// Notes that the event at this place is a reply to a request with this key.
    pub(crate) fn put_reply(&self, key: &ReplyKey, place: Place) {
        self.send(Message::PutReply(key.clone(), place));
    }

    /// Forgets the replies of a run.
    pub(crate) fn remove_replies(&self, run: Key) {
        self.send(Message::RemoveReplies(run));
    }

    /// The places of the replies to requests with this key, oldest run first. Sees every change before it. None without a
    /// database.
    pub(crate) fn find_replies(&self, key: &ReplyKey) -> Vec<Place> {
        let (answer, wait) = mpsc::channel();
        self.send(Message::FindReplies(key.clone(), answer));
        wait.recv_timeout(MAX_LOOKUP_WAIT).unwrap_or_default()
    }

    /// Removes a file once the changes before are written: until then it tells that they are to be made.
    pub(crate) fn remove_file(&self, path: PathBuf) {
        if let Some(Message::RemoveFile(path)) = self.send(Message::RemoveFile(path)) {
            database::remove_file(&path);
        }
    }

    /// Writes what is left and closes the database.
    pub(crate) fn close(&self) {
        let (closed, wait) = mpsc::channel();
        self.send(Message::Close(closed));
        *self.queue.lock() = None;
        // A thread that hangs keeps the database locked: the store opens without it.
        let _ = wait.recv_timeout(MAX_CLOSE_WAIT);
    }

    /// Gives the message back if nobody receives it.
    fn send(&self, message: Message) -> Option<Message> {
        let mut queue = self.queue.lock();
        let Some(sender) = queue.as_ref() else { return Some(message) };
        let bytes = message.bytes();
        if self.pending.fetch_add(bytes, Ordering::Relaxed) + bytes > MAX_PENDING_BYTES {
            *queue = None;
            return Some(message);
        }
        sender.send(message).err().map(|unsent| unsent.0)
    }
}

/// The thread's part.
struct Worker {
    /// None if it can't be used, or no longer.
    database: Option<Database>,
    messages: Receiver<Message>,
    pending: Arc<AtomicUsize>,
}

impl Worker {
    fn run(mut self) {
        while let Ok(first) = self.messages.recv() {
            let end = Instant::now() + GROUP_DELAY;
            let mut next = Some(first);
            while let Some(message) = next {
                self.pending.fetch_sub(message.bytes(), Ordering::Relaxed);
                if let Message::Close(closed) = message {
                    if let Some(database) = self.database {
                        database.close();
                    }
                    // Nobody waits any more if that took too long.
                    let _ = closed.send(());
                    return;
                }
                self.receive(message);
                next = self.messages.recv_timeout(end.saturating_duration_since(Instant::now())).ok();
            }
            self.with_database((), Database::write_out);
        }
    }

    fn receive(&mut self, message: Message) {
        match message {
            Message::Put(key, value) => self.change(|database| database.put(key, value)),
            Message::Remove(key) => self.change(|database| database.remove(key)),
            Message::PutReply(key, place) => self.change(|database| database.put_reply(&key, place)),
            Message::RemoveReplies(run) => self.with_database((), |database| database.remove_replies(run)),
            Message::RemoveFile(path) => match &mut self.database {
                Some(database) => database.remove_file_later(path),
                None => database::remove_file(&path),
            },
            Message::FindReplies(key, answer) => {
                let found = self.with_database(Vec::new(), |database| database.find_replies(&key));
                // The caller may have stopped waiting.
                let _ = answer.send(found);
            }
            // The loop handles it.
            Message::Close(_) => {}
        }
    }

    fn change(&mut self, change: impl FnOnce(&mut Database)) {
        if let Some(database) = &mut self.database {
            change(database);
        }
    }

    /// Gives up the database after an error.
    fn with_database<T>(
        &mut self,
        otherwise: T,
        work: impl FnOnce(&mut Database) -> database::Result<T>,
    ) -> T {
        let Some(database) = &mut self.database else { return otherwise };
        if let Ok(done) = database::catch(|| work(database)) {
            return done;
        }
        if let Some(database) = self.database.take() {
            database.discard();
        }
        otherwise
    }
}

#[cfg(test)]
mod tests;
