//! The bytes of attachments: they go with the last run or conversation that refers to them, and never before.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use plait_core::attachment::{Attachment, AttachmentStore as _, inspect};
use plait_core::id::{Activation, AttachmentHash, ConversationId, Epoch, RunId};
use plait_core::origin::Origins;
use plait_journal::{Answer, ContextEvent, Event, Journal, NodeEvent, RunEvent};
use plait_llm::context::{Content, Message, Role};
use plait_store::Store;
use plait_store::{NewConversation, doctor};
use serde_json::json;

use crate::support::{copy, entry, finished, flush, run_id, started};

/// Stores a file of this text.
fn put(store: &Store, text: &str) -> Attachment {
    let found = inspect("notes.txt", text.as_bytes().into()).expect("a text");
    let data = found.data.clone().expect("bytes");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(store.put(&found.hash, data)).expect("stored");
    Attachment { data: None, ..found }
}

fn path(home: &Path, hash: &AttachmentHash) -> std::path::PathBuf {
    home.join("attachments").join(&hash.as_str()[..2]).join(hash.as_str())
}

fn is_there(home: &Path, attachment: &Attachment) -> bool {
    path(home, &attachment.hash).exists()
}

/// A person's answer with an attachment.
fn answered(attachment: &Attachment) -> Event {
    let answer = Answer::Attached { value: Arc::new(json!("Look")), attachments: vec![attachment.clone()] };
    Event::Node(
        Activation { node: "ask".into(), epoch: Epoch::root() },
        NodeEvent::Answered { answer, reused: None },
    )
}

fn ended() -> Event {
    Event::Run(RunEvent::Finished { origins: Origins::NONE, outputs: BTreeMap::new() })
}

/// Writes a run with these events behind the first.
fn write(store: &Store, run: &RunId, first: Event, events: Vec<Event>) {
    let mut journal = store.journal(run).expect("journal");
    let all: Vec<_> =
        std::iter::once(first).chain(events).zip(0..).map(|(event, seq)| entry(seq, event)).collect();
    journal.append(&all).expect("appended");
    flush(&mut journal);
}

/// A data directory with runs 1 and 2, which share the first file. Run 1 has the second one alone, and run 3 has the third one in a
/// large value.
fn runs(home: &Path) -> ([RunId; 3], [Attachment; 3]) {
    let store = Store::open(home).expect("opened");
    let runs = [1, 2, 3].map(run_id);
    let files = ["one", "two", "three"].map(|text| put(&store, text));
    let [one, two, three] = &files;
    write(&store, &runs[0], started(&runs[0]), vec![answered(one), answered(two), ended()]);
    write(&store, &runs[1], started(&runs[1]), vec![answered(one)]);
    let large = format!("{}{}", "large ".repeat(2_000), three.hash);
    write(&store, &runs[2], started(&runs[2]), vec![finished("n", &large)]);
    (runs, files)
}

#[test]
fn attachment_goes_with_the_last_run_that_refers_to_it() {
    let home = tempfile::tempdir().expect("folder");
    let (runs, files) = runs(home.path());
    let there = || files.each_ref().map(|file| is_there(home.path(), file));
    let store = Store::open(home.path()).expect("opened");
    store.remove_run(&runs[0]).expect("removed");
    assert_eq!(there(), [true, false, true]);
    store.remove_run(&runs[1]).expect("removed");
    assert_eq!(there(), [false, false, true]);
    store.remove_run(&runs[2]).expect("removed");
    assert_eq!(there(), [false; 3]);
}

#[test]
fn attachment_in_a_compressed_journal_or_a_large_value_stays() {
    let home = tempfile::tempdir().expect("folder");
    let store = Store::open(home.path()).expect("opened");
    let [small, large] = ["small", "large"].map(|text| put(&store, text));
    let text = format!("{}{}", "large ".repeat(2_000), large.hash);
    let runs = [1, 2].map(run_id);
    for run in &runs {
        let events = vec![answered(&small), finished("n", &text), ended()];
        write(&store, run, started(run), events);
    }
    drop(store);
    doctor::check(home.path(), false, &mut |_, _| ()).expect("compressed");
    let store = Store::open(home.path()).expect("opened");
    store.remove_run(&runs[0]).expect("removed");
    assert!(is_there(home.path(), &small) && is_there(home.path(), &large));
    store.remove_run(&runs[1]).expect("removed");
    assert!(!is_there(home.path(), &small) && !is_there(home.path(), &large));
}

/// A run in a conversation, whose message has an attachment.
fn in_conversation(store: &Store) -> (RunId, Attachment, ConversationId) {
    let new = NewConversation { flow: "f".into(), flow_name: "F".into(), user: "u".into(), at: 1 };
    let conversation = store.create_conversation(new).expect("made");
    let photo = put(store, "photo");
    let author = Activation { node: "chat".into(), epoch: Epoch::root() };
    let content = Content::with_attachments("Look".into(), [photo.clone()]);
    let message = Message::plain("m/1".into(), Role::User, content, author.clone(), 3);
    let reply = Message::plain("m/2".into(), Role::Assistant, "A dot.", author.clone(), 3);
    let turn = ContextEvent::TurnCommitted {
        context_id: "main".into(),
        messages: vec![Arc::new(message), Arc::new(reply)],
        learned: None,
        reused: None,
        pending: false,
    };
    let run = run_id(1);
    let mut first = started(&run);
    if let Event::Run(RunEvent::Started { conversation: into, .. }) = &mut first {
        *into = Some(Arc::new(conversation.at()));
    }
    write(store, &run, first, vec![Event::Context(author, turn), ended()]);
    (run, photo, conversation.id)
}

#[test]
fn attachment_of_a_conversation_goes_with_the_conversation() {
    let home = tempfile::tempdir().expect("folder");
    let (run, photo, conversation) = in_conversation(&Store::open(home.path()).expect("opened"));
    let store = Store::open(home.path()).expect("opened");
    store.remove_run(&run).expect("removed");
    assert!(is_there(home.path(), &photo), "the conversation shows it");
    store.remove_conversation(&conversation).expect("removed");
    assert!(!is_there(home.path(), &photo));
}

#[test]
fn attachment_of_a_deleted_conversation_stays_for_its_run() {
    let home = tempfile::tempdir().expect("folder");
    let (run, photo, conversation) = in_conversation(&Store::open(home.path()).expect("opened"));
    let store = Store::open(home.path()).expect("opened");
    store.remove_conversation(&conversation).expect("removed");
    assert!(is_there(home.path(), &photo), "the run shows it");
    store.remove_run(&run).expect("removed");
    assert!(!is_there(home.path(), &photo));
}

#[test]
fn attachment_stored_by_this_process_stays_until_a_later_one() {
    let home = tempfile::tempdir().expect("folder");
    let (runs, files) = runs(home.path());
    let store = Store::open(home.path()).expect("opened");
    // A window has chosen it for its next run.
    put(&store, "two");
    store.remove_run(&runs[0]).expect("removed");
    assert!(is_there(home.path(), &files[1]));
    drop(store);
    doctor::check(home.path(), false, &mut |_, _| ()).expect("checked");
    assert!(!is_there(home.path(), &files[1]), "nobody took it");
    assert!(is_there(home.path(), &files[0]) && is_there(home.path(), &files[2]));
}

#[test]
fn attachment_of_a_run_that_is_forked_stays() {
    let home = tempfile::tempdir().expect("folder");
    let (runs, files) = runs(home.path());
    let store = Store::open(home.path()).expect("opened");
    store.keep_attachments_of(&runs[0]).expect("kept");
    store.remove_run(&runs[0]).expect("removed");
    assert!(is_there(home.path(), &files[1]), "the fork may refer to it");
}

#[test]
fn crash_before_or_after_a_removal_loses_nothing_and_leaves_nothing() {
    let home = tempfile::tempdir().expect("folder");
    let (runs, files) = runs(home.path());
    let list: String = files.iter().flat_map(|file| [file.hash.as_str(), "\n"]).collect();
    std::fs::write(home.path().join("attachments/unreferenced"), list).expect("written");

    let before = copy(home.path());
    doctor::check(before.path(), false, &mut |_, _| ()).expect("checked");
    assert!(files.iter().all(|file| is_there(before.path(), file)), "no run was removed");

    // The journal is gone, the index and the attachments are not.
    let after = copy(home.path());
    let journal = crate::support::journal_path(after.path(), &runs[0]);
    std::fs::rename(&journal, journal.with_extension("removed")).expect("renamed");
    let store = Store::open(after.path()).expect("opened");
    assert!(is_there(after.path(), &files[1]));
    store.remove_run(&runs[2]).expect("removed");
    assert_eq!(files.each_ref().map(|file| is_there(after.path(), file)), [true, false, false]);
    assert!(!after.path().join("attachments/unreferenced").exists());
}

#[test]
fn damage_anywhere_keeps_all_attachments() {
    let home = tempfile::tempdir().expect("folder");
    let (runs, files) = runs(home.path());
    let damaged = crate::support::journal_path(home.path(), &runs[1]);
    let mut bytes = std::fs::read(&damaged).expect("read");
    // In the record's payload.
    bytes[150] ^= 1;
    std::fs::write(&damaged, bytes).expect("written");
    let store = Store::open(home.path()).expect("opened");
    store.remove_run(&runs[0]).expect("removed");
    assert!(files.iter().all(|file| is_there(home.path(), file)), "the damaged run may refer to them");
}
