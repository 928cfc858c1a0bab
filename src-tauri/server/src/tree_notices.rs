//! What the database announces, for those who wait for it: each receives the notices of its own run tree alone.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use plait_core::error::Fault;
use plait_core::id::RunId;
use plait_host_store::{Database, LiveText, Notice, Topic};
use tokio::sync::{Notify, broadcast, watch};

/// How long it takes until the database is asked again after it was away.
const RETRY_DELAY: Duration = Duration::from_secs(1);
/// How many notices a receiver may be behind before it has to look by itself.
const MAX_NOTICES: usize = 1024;

/// Something happened to a tree, or anything may have.
#[derive(Clone, Debug)]
pub(crate) enum TreeNotice {
    /// It has come to rest, or a request was answered.
    Rest,
    /// It has new records.
    Events,
    /// A run of it is writing.
    Text(Arc<LiveText>),
    Missed,
}

type Receivers = Arc<Mutex<HashMap<RunId, broadcast::Sender<TreeNotice>>>>;

#[derive(Clone)]
pub(crate) struct TreeNotices {
    receivers: Receivers,
    /// Trees may have work.
    due: Arc<Notify>,
    /// The list of trees may have changed.
    changes: Arc<watch::Sender<()>>,
}

impl TreeNotices {
    /// Begins to receive what is announced. Fault `host.database`.
    pub(crate) async fn listen(database: &Database) -> Result<Self, Fault> {
        let (receivers, due) = (Receivers::default(), Arc::new(Notify::new()));
        let changes = Arc::new(watch::Sender::new(()));
        let topics = [Topic::Due, Topic::Rest, Topic::Events, Topic::Text];
        let mut received = database.notices(&topics).await?;
        let (known, has_work, database) = (Arc::clone(&receivers), Arc::clone(&due), database.clone());
        let listed = Arc::clone(&changes);
        tokio::spawn(async move {
            loop {
                let notice = received.next().await;
                if !matches!(notice, Ok(Notice::Events(_) | Notice::Text(_) | Notice::Watch { .. })) {
                    listed.send_replace(());
                }
                match notice {
                    Ok(Notice::Due(_)) => has_work.notify_one(),
                    Ok(Notice::Rest(root)) => deliver(&known, &root, TreeNotice::Rest),
                    Ok(Notice::Events(root)) => deliver(&known, &root, TreeNotice::Events),
                    Ok(Notice::Text(text)) => {
                        let root = text.root.clone();
                        deliver(&known, &root, TreeNotice::Text(Arc::new(text)));
                    }
                    Ok(Notice::Watch { .. } | Notice::Missed) => deliver_missed(&known),
                    // Closing it waits for this connection.
                    Err(_) if database.is_closed() => return,
                    // Until it is back, those who wait look now and then.
                    Err(_) => {
                        tokio::time::sleep(RETRY_DELAY).await;
                        deliver_missed(&known);
                    }
                }
            }
        });
        Ok(Self { receivers, due, changes })
    }

    /// What happens to a tree from now on.
    pub(crate) fn of(&self, root: &RunId) -> broadcast::Receiver<TreeNotice> {
        let mut receivers = self.receivers.lock();
        receivers.entry(root.clone()).or_insert_with(|| broadcast::channel(MAX_NOTICES).0).subscribe()
    }

    /// Says when the list of trees may have changed: one has begun, has come to rest, goes on or was removed.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    /// Resolves when trees may have got work since the last time.
    pub(crate) async fn due(&self) {
        self.due.notified().await;
    }
}

fn deliver(receivers: &Receivers, root: &RunId, notice: TreeNotice) {
    let mut receivers = receivers.lock();
    let is_received = receivers.get(root).map(|receiver| receiver.send(notice).is_ok());
    if is_received == Some(false) {
        receivers.remove(root);
    }
}

fn deliver_missed(receivers: &Receivers) {
    receivers.lock().retain(|_, receiver| receiver.send(TreeNotice::Missed).is_ok());
}
