//! One flipped bit, one truncated file, one missing file, at 500 random places of a data directory: nothing is lost but what stood
//! there, everything lost is named, and nothing damaged is written to.

use plait_core::origin::Origins;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use plait_core::id::{Activation, ConversationId, Epoch, RunId};
use plait_journal::{ContextEvent, Entry, Event, FlowRef, Journal, RunEvent};
use plait_llm::context::{Message, Role};
use plait_store::Store;
use plait_store::conversation::record::ConversationMessage;
use plait_store::{ConversationFilter, NewConversation, doctor};

use crate::support::{copy, entries, entry, finished, flush, run_id, started_as};

const ROUNDS: u64 = 500;

/// What a data directory holds.
struct Stored {
    journals: BTreeMap<RunId, Vec<Entry>>,
    conversation: ConversationId,
    messages: Vec<ConversationMessage>,
    flow: String,
}

fn turn(seq: u64) -> Entry {
    let author = Activation { node: "chat".into(), epoch: Epoch::root() };
    let message = |role, text: String| {
        Arc::new(Message::plain(format!("m{seq}/{role:?}").as_str().into(), role, text, author.clone(), 3))
    };
    let messages = vec![
        message(Role::User, format!("question {seq}")),
        message(Role::Assistant, format!("answer {seq}")),
    ];
    let event = ContextEvent::TurnCommitted {
        context_id: "main".into(),
        messages,
        learned: None,
        reused: None,
        pending: false,
    };
    entry(seq, Event::Context(author, event))
}

/// Fills a data directory: a run that waits, one that has ended, a tree, one in a conversation.
fn fill(home: &Path) -> Stored {
    let store = Store::open(home).expect("opened");
    let new = NewConversation { flow: "f".into(), flow_name: "F".into(), user: "u".into(), at: 1 };
    let conversation = store.create_conversation(new).expect("made");
    let flow = store.put_flow("{\"name\":\"flow\"}").expect("stored");
    store.put_settings(&serde_json::Map::from_iter([("theme".to_owned(), "dark".into())])).expect("stored");
    let runs: Vec<RunId> = (1..6).map(run_id).collect();
    let mut journals = BTreeMap::new();
    let mut open = Vec::new();
    for (number, run) in runs.iter().enumerate() {
        let texts =
            (0..60).map(|at| if at % 20 == 9 { format!("{at} ").repeat(2_500) } else { at.to_string() });
        let mut all = entries(run, texts);
        let mut first = started_as(run, FlowRef { name: "F".into(), path: None, hash: flow.clone() });
        if let Event::Run(RunEvent::Started { conversation: into, parent_run_id, .. }) = &mut first {
            *into = (number == 3).then(|| Arc::new(conversation.at()));
            *parent_run_id = (number == 4).then(|| runs[2].clone());
        }
        all[0] = entry(0, first);
        if number == 3 {
            all.extend((61..75).map(turn));
        }
        if number == 1 {
            all.push(entry(
                61,
                Event::Run(RunEvent::Finished { origins: Origins::NONE, outputs: BTreeMap::new() }),
            ));
        }
        let mut journal = store.journal(run).expect("journal");
        for some in all.chunks(2) {
            journal.append(some).expect("appended");
        }
        flush(&mut journal);
        journals.insert(run.clone(), all);
        open.push(journal);
    }
    drop(open);
    let messages = store.conversation_messages(&conversation.id, 0, 1_000).expect("read");
    assert_eq!(messages.len(), 28);
    Stored { journals, conversation: conversation.id, messages, flow }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for item in std::fs::read_dir(folder).expect("folder").flatten() {
        let path = item.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if item.file_name() != "lock" {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn damage_anywhere_costs_what_stood_there_and_is_named() {
    let home = tempfile::tempdir().expect("folder");
    let stored = fill(home.path());
    let (mut lossy, mut harmless) = (0, 0);
    for seed in 0..ROUNDS {
        let mut chance = fastrand::Rng::with_seed(seed);
        let home = copy(home.path());
        let all = files(home.path());
        let hit = &all[chance.usize(0..all.len())];
        let mut bytes = std::fs::read(hit).expect("read");
        let place = chance.usize(0..bytes.len());
        let how = chance.u8(0..3);
        match how {
            0 => bytes[place] ^= 1 << chance.u8(0..8),
            1 => bytes.truncate(place),
            _ => {}
        }
        if how == 2 {
            std::fs::remove_file(hit).expect("removed");
        } else {
            std::fs::write(hit, &bytes).expect("written");
        }
        let name = hit.strip_prefix(home.path()).expect("within").display().to_string();
        let context = format!("seed {seed}: {name} ({how} at {place})");

        let lost = check(home.path(), &stored, &name, &context);
        let is_index = name.starts_with("index") || name == "calibration.json";
        let report = doctor::check(home.path(), false, &mut |_, _| ()).expect("checked");
        if is_index {
            assert!(!lost && !report.has_losses(), "{context}: {report:#?}");
            harmless += 1;
        } else {
            assert!(!lost || report.has_losses(), "{context}: a loss without a word");
            assert!(
                report
                    .findings
                    .iter()
                    .all(|finding| !finding.is_loss || finding.path == *hit || name.starts_with("flows")),
                "{context}: {report:#?}"
            );
            lossy += usize::from(lost);
            // Nothing damaged is written to.
            if report.has_losses() {
                let now = std::fs::read(hit).ok();
                assert!(now == (how != 2).then_some(bytes), "{context}: the file was changed");
            }
        }
    }
    assert!(lossy > 150 && harmless > 20, "{lossy} {harmless}");
}

/// Reads everything. Says whether something is lost; only what stood in the file that was hit may be.
fn check(home: &Path, stored: &Stored, name: &str, context: &str) -> bool {
    let store = Store::open(home).unwrap_or_else(|fault| panic!("{context}: {fault}"));
    let mut lost = false;
    for (run, all) in &stored.journals {
        let read = store.read_damaged_journal(run).unwrap_or_else(|fault| panic!("{context}: {fault}"));
        let found: Vec<Entry> = read.filter_map(Result::ok).collect();
        assert!(found.iter().all(|one| all[usize::try_from(one.seq.unwrap()).unwrap()] == *one), "{context}");
        // A run is in its own file or in that of its root.
        let is_hit = name.starts_with("runs") && name.ends_with(".journal");
        assert!(
            found.len() == all.len() || is_hit,
            "{context}: {run} lost {} entries",
            all.len() - found.len()
        );
        lost |= found.len() < all.len();
        if let Ok(mut journal) = store.journal(run) {
            // A run that can be written goes on; that must not hide what was lost.
            let next = journal.next_seq();
            assert!(next == all.len() as u64 || !is_hit, "{context}: {run} goes on from {next}");
            if next > 0 && !is_hit {
                journal.append(&[entry(next, finished("n", "more"))]).expect("appended");
                flush(&mut journal);
            }
        }
    }
    let listed = store.conversations(&ConversationFilter::default()).expect("listed");
    assert!(
        listed.iter().any(|one| one.id == stored.conversation) || name.starts_with("conversations"),
        "{context}"
    );
    for message in &stored.messages {
        let read = store.conversation_messages(&stored.conversation, message.id, 1);
        if read.as_deref() != Ok(std::slice::from_ref(message)) {
            assert!(name.starts_with("conversations"), "{context}");
            lost = true;
        }
    }
    if store.settings().map_or(true, |settings| settings.get("theme").is_none_or(|theme| theme != "dark")) {
        assert!(name == "settings.json" || name == "checksums.json", "{context}");
        // What something else changed or removed is refused, not lost.
    }
    if store.flow(&stored.flow).is_err() {
        assert!(name.starts_with("flows"), "{context}");
        lost = true;
    }
    lost
}

#[test]
fn salvaging_keeps_what_can_be_read_and_lets_runs_go_on() {
    let home = tempfile::tempdir().expect("folder");
    let stored = fill(home.path());
    let journal_of = |run: &RunId| crate::support::journal_path(home.path(), run);
    let chatting = stored.journals.keys().nth(3).expect("a run").clone();
    let conversation = home.path().join("conversations").join(format!("{}.journal", stored.conversation));
    let waiting = stored.journals.keys().next().expect("a run").clone();
    for path in [journal_of(&waiting), conversation] {
        let mut bytes = std::fs::read(&path).expect("read");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&path, &bytes).expect("written");
    }
    let report = doctor::check(home.path(), true, &mut |_, _| ()).expect("salvaged");
    assert!(report.has_losses() && report.actions.len() >= 3, "{report:#?}");
    assert_eq!(std::fs::read_dir(home.path().join("damaged")).expect("folder").count(), 2);
    let store = Store::open(home.path()).expect("opened");
    let messages = store.conversation_messages(&stored.conversation, 0, 1_000).expect("read");
    assert!(messages == stored.messages, "the journal of run {chatting} still held what was lost");
    let mut journal = store.journal(&waiting).expect("it goes on");
    let next = journal.next_seq();
    assert!(next > 10 && next < stored.journals[&waiting].len() as u64);
    journal.append(&[entry(next, finished("n", "more"))]).expect("appended");
    flush(&mut journal);
    drop((journal, store));
    let report = doctor::check(home.path(), false, &mut |_, _| ()).expect("checked");
    assert!(!report.has_losses(), "{report:#?}");
}
