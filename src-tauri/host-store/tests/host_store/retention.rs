//! Trees that ended long ago, and what only they named.

use std::sync::Arc;
use std::time::Duration;

use plait_core::error::Fault;
use plait_core::hash::content_hash;
use plait_core::id::{AttachmentHash, ConversationId, RunId};
use plait_host_store::{Database, Listing, Outcome, Rest, TenantName};
use plait_journal::{FlowRef, Journal as _};
use plait_store::{RunDatabase, Store, TreeRecord};
use tokio::runtime::Handle;
use uuid::Uuid;

use crate::support::{entry, finished, flush, run_id, started_as};
use crate::{HOUR, Rig, as_worker};

/// How long trees are kept here.
const KEPT: Duration = Duration::from_hours(30 * 24);

/// How a tree is left.
fn rest(status: &str) -> Rest {
    Rest {
        goes_on: false,
        state: Some("{}".to_owned()),
        has_ended: status == "finished" || status == "failed",
        listing: Some(Listing { status: status.to_owned(), ..Listing::default() }),
    }
}

impl Rig {
    /// Runs a tree that names `text`, and leaves it.
    fn play(&self, root: &RunId, conversation: Option<&ConversationId>, text: &str, status: &str) {
        let begin = ("run.start", "{}");
        let lease = self.runtime.block_on(async {
            self.database.begin(root, conversation, begin, &Listing::default()).await.unwrap();
            self.claim(Uuid::now_v7(), HOUR).await
        });
        let process = self.process(&lease);
        let mut journal = process.store.journal(root).unwrap();
        let flow = FlowRef { name: String::new(), path: None, hash: content_hash(b"flow") };
        journal.append(&[entry(0, started_as(root, flow)), entry(1, finished("n", text))]).unwrap();
        flush(&mut journal);
        drop((journal, process));
        self.runtime.block_on(async {
            let request = self.database.next_request(&lease).await.unwrap().unwrap();
            self.database
                .finish_request(&lease, request.id, &Outcome::Reply("null".to_owned()))
                .await
                .unwrap();
            self.database.release(&lease, &rest(status)).await.unwrap();
        });
    }

    /// Lets everything that the database has be 40 days old.
    fn age(&self) {
        for (table, column) in
            [("run_trees", "ended_at"), ("flow_documents", "stored_at"), ("attachments", "stored_at")]
        {
            self.postgres
                .execute("plait", &format!("UPDATE {table} SET {column} = {column} - interval '40 days'"));
        }
    }

    fn remove_expired(&self) -> Vec<RunId> {
        self.runtime.block_on(self.database.remove_expired_trees(KEPT, |_| Ok::<_, Fault>(()))).unwrap()
    }

    fn remove_unnamed(&self) -> u64 {
        self.runtime.block_on(self.database.remove_unnamed_values()).unwrap()
    }

    fn put(&self, bytes: &[u8]) -> AttachmentHash {
        let hash = AttachmentHash::from(content_hash(bytes));
        self.runtime.block_on(self.database.put_attachment(&hash, bytes)).unwrap();
        hash
    }

    fn has(&self, hash: &AttachmentHash) -> bool {
        self.runtime.block_on(self.database.attachment(hash)).unwrap().is_some()
    }

    fn has_tree(&self, root: &RunId) -> bool {
        self.runtime.block_on(self.database.tree(root)).is_ok()
    }
}

#[test]
fn only_trees_that_ended_long_ago_are_removed() {
    let rig = Rig::new();
    let conversation: ConversationId = Uuid::now_v7().to_string().into();
    rig.runtime.block_on(rig.database.put_conversation(&conversation, b"begun")).unwrap();
    let ids: Vec<RunId> = (0..9).map(run_id).collect();
    for (number, status) in
        [(0, "finished"), (1, "failed"), (2, "waiting"), (3, "interrupted"), (4, "finished")]
    {
        rig.play(&ids[number], None, "", status);
    }
    rig.play(&ids[5], Some(&conversation), "", "finished");
    rig.age();
    rig.play(&ids[6], None, "", "finished");
    // One that ended long ago, and is asked something now.
    rig.runtime.block_on(rig.database.request(&ids[4], "run.resume", "{}")).unwrap();
    let expired = rig.runtime.block_on(rig.database.expired_trees(KEPT)).unwrap();
    assert_eq!(expired, ids[..2]);
    assert_eq!(rig.remove_expired(), ids[..2]);
    assert_eq!(rig.remove_expired(), []);
    let left: Vec<bool> = ids[..7].iter().map(|root| rig.has_tree(root)).collect();
    assert_eq!(left, [false, false, true, true, true, true, true]);
    let unknown = rig.runtime.block_on(rig.database.request(&ids[0], "run.resume", "{}")).unwrap_err();
    assert_eq!(unknown.code.as_str(), "run.unknown");
}

#[test]
fn values_stay_while_a_record_names_them() {
    let rig = Rig::new();
    let attachments: Vec<AttachmentHash> =
        [b"shared", b"single", b"spoken", b"unused"].iter().map(|bytes| rig.put(*bytes)).collect();
    let [shared, single, spoken, unused] = &attachments[..] else { panic!("four") };
    rig.runtime.block_on(rig.database.put_flow(&content_hash(b"flow"), "{}")).unwrap();
    let has_flow = || rig.runtime.block_on(rig.database.flow(&content_hash(b"flow"))).unwrap().is_some();
    let conversation: ConversationId = Uuid::now_v7().to_string().into();
    let turn = format!("turn with {spoken}");
    rig.runtime.block_on(rig.database.put_conversation(&conversation, turn.as_bytes())).unwrap();
    let (first, second) = (run_id(1), run_id(2));
    // A long text is a large value, which is compressed.
    let long = format!("{}{shared} {}", "plait ".repeat(20_000), "plait ".repeat(20_000));
    rig.play(&first, None, &format!("{shared} {single} {spoken}"), "finished");
    rig.age();
    rig.play(&second, None, &long, "finished");
    assert_eq!(rig.remove_unnamed(), 1);
    assert!(!rig.has(unused) && rig.has(shared) && rig.has(single) && rig.has(spoken));
    assert_eq!(rig.remove_expired(), [first]);
    // What was stored a moment ago is about to be named.
    let fresh = rig.put(b"fresh");
    assert_eq!(rig.remove_unnamed(), 1);
    assert!(!rig.has(single) && rig.has(shared) && rig.has(spoken) && rig.has(&fresh) && has_flow());
    rig.age();
    assert_eq!(rig.remove_expired(), [second]);
    assert_eq!(rig.remove_unnamed(), 3, "the flow, what both trees named, and what nothing named");
    assert!(rig.has(spoken) && !rig.has(shared) && !has_flow());
}

#[test]
fn value_that_is_stored_again_stays_for_its_run() {
    let rig = Rig::new();
    let hash = rig.put(b"image");
    rig.age();
    rig.put(b"image");
    assert_eq!(rig.remove_unnamed(), 0);
    rig.age();
    // A run that is about to begin with it.
    let arguments = format!("{{\"attachments\":[\"{hash}\"]}}");
    let (root, listing) = (run_id(1), Listing::default());
    let begin = rig.database.begin(&root, None, ("run.start", &arguments), &listing);
    rig.runtime.block_on(begin).unwrap();
    assert_eq!(rig.remove_unnamed(), 0);
    assert!(rig.has(&hash));
}

/// The database without what a process remembers of it for an hour.
struct AnHourLater(Database, Handle);

impl RunDatabase for AnHourLater {
    fn append(&self, _: &RunId, _: &[TreeRecord<'_>]) -> Result<(), Fault> {
        Ok(())
    }

    fn put_flow(&self, hash: &str, text: &str) -> Result<(), Fault> {
        self.1.block_on(self.0.put_flow(hash, text))
    }

    fn flow(&self, hash: &str) -> Result<Option<String>, Fault> {
        self.1.block_on(self.0.flow(hash))
    }

    fn put_attachment(&self, hash: &AttachmentHash, bytes: &[u8]) -> Result<(), Fault> {
        self.1.block_on(self.0.put_attachment(hash, bytes))
    }

    fn attachment(&self, hash: &AttachmentHash) -> Result<Option<Vec<u8>>, Fault> {
        self.1.block_on(self.0.attachment(hash))
    }
}

#[test]
fn flow_that_was_removed_is_stored_again_for_its_next_run() {
    let (rig, home) = (Rig::new(), tempfile::tempdir().unwrap());
    let database = Arc::new(AnHourLater(rig.database.clone(), rig.runtime.handle().clone()));
    let store = Store::open_with_database(home.path(), database, &mut |_, _| ()).unwrap();
    let hash = store.put_flow("{}").unwrap();
    rig.age();
    assert_eq!(rig.remove_unnamed(), 1);
    // The process has it among its files.
    assert_eq!(store.put_flow("{}").unwrap(), hash);
    assert!(rig.runtime.block_on(rig.database.flow(&hash)).unwrap().is_some());
}

#[test]
fn record_that_cannot_be_read_keeps_all_values() {
    let rig = Rig::new();
    let root = run_id(1);
    let hash = rig.put(b"image");
    rig.play(&root, None, "", "finished");
    rig.age();
    rig.postgres.execute(
        "plait",
        "UPDATE run_records SET bytes = overlay(bytes placing '\\x00'::bytea from 40) WHERE position > 0",
    );
    let fault = rig.runtime.block_on(rig.database.remove_unnamed_values()).unwrap_err();
    assert_eq!(fault.code.as_str(), "journal.corrupt");
    assert!(rig.has(&hash));
    // Without it, nothing is in doubt.
    assert_eq!(rig.remove_expired(), [root]);
    assert_eq!(rig.remove_unnamed(), 1);
}

#[test]
fn tree_stays_while_its_removal_cannot_be_noted() {
    let rig = Rig::new();
    let root = run_id(1);
    rig.play(&root, None, "", "finished");
    rig.age();
    let full = || Fault::new(plait_host_store::codes::STORE_IO, "The disk is full.");
    let failed = rig.runtime.block_on(rig.database.remove_expired_trees(KEPT, |_| Err::<(), _>(full())));
    assert_eq!(failed.unwrap_err().code.as_str(), "store.io");
    assert!(rig.has_tree(&root));
    assert_eq!(rig.remove_expired(), [root]);
}

#[test]
fn each_tree_is_removed_by_one_of_several_hosts() {
    let rig = Rig::new();
    let mut roots: Vec<RunId> = (0..120).map(run_id).collect();
    for root in &roots {
        rig.play(root, None, "", "finished");
    }
    rig.age();
    let url = plait_url(&rig);
    let mut removed: Vec<RunId> = rig.runtime.block_on(async {
        let hosts = (0..4).map(|_| {
            let url = url.clone();
            tokio::spawn(async move {
                let database = Database::open(&url, 2, &TenantName::default()).await.unwrap();
                let mut removed = Vec::new();
                loop {
                    let some = database.remove_expired_trees(KEPT, |_| Ok::<_, Fault>(())).await.unwrap();
                    database.remove_unnamed_values().await.unwrap();
                    if some.is_empty() {
                        return removed;
                    }
                    removed.extend(some);
                }
            })
        });
        let removed = futures::future::join_all(hosts).await;
        removed.into_iter().flat_map(Result::unwrap).collect()
    });
    removed.sort();
    roots.sort();
    assert_eq!(removed, roots);
    assert_eq!(rig.runtime.block_on(rig.database.expired_trees(KEPT)).unwrap(), []);
}

fn plait_url(rig: &Rig) -> String {
    crate::postgres::Postgres::url_at(rig.postgres.folder(), "plait")
}

#[test]
fn tree_that_an_earlier_version_left_counts_from_the_next_look() {
    let rig = Rig::new();
    let root = run_id(1);
    rig.play(&root, None, "", "finished");
    rig.postgres.execute("plait", "UPDATE run_trees SET ended_at = NULL");
    assert_eq!(rig.remove_expired(), []);
    rig.age();
    assert_eq!(rig.remove_expired(), [root]);
    let claim = rig.database.claim(as_worker(Uuid::now_v7()), HOUR, 10);
    assert_eq!(rig.runtime.block_on(claim).unwrap(), []);
}
