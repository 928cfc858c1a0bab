use plait_core::id::Epoch;
use plait_journal::FinishMetadata;

use super::*;

fn asker() -> Activation {
    Activation { node: "chat".into(), epoch: Epoch::root() }
}

fn piece(after: u64, before: u64, text: &str) -> LiveText {
    LiveText {
        root: "root".to_owned().into(),
        run: "run".to_owned().into(),
        after,
        at: 0,
        activation: asker(),
        text_before: before,
        text: text.to_owned(),
        reasoning_before: 0,
        reasoning: String::new(),
    }
}

fn entry(seq: u64, event: NodeEvent) -> Entry {
    Entry { seq: Some(seq), at: 0, event: Event::Node(asker(), event), interrupted_ms: 0 }
}

fn text(entry: &Entry) -> &str {
    match &entry.event {
        Event::Node(_, NodeEvent::Delta { text, .. }) => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn pieces_are_shown_once_and_in_order() {
    let mut cursor = TextCursor::at(3);
    let shown: Vec<String> = [
        piece(3, 0, "One"),
        // Again from the beginning, for another one who watches.
        piece(3, 0, "One two"),
        piece(3, 0, "One two"),
        piece(3, 9, "lost before it"),
        piece(3, 7, " three"),
    ]
    .iter()
    .filter_map(|piece| cursor.take(piece).as_ref().map(text).map(str::to_owned))
    .collect();
    assert_eq!(shown, ["One", " two", " three"]);
}

#[test]
fn piece_waits_for_the_events_before_it_and_not_longer() {
    let mut cursor = TextCursor::at(3);
    assert!(cursor.take(&piece(4, 0, "early")).is_none());
    let passed = cursor.pass(&[entry(3, NodeEvent::Started { attempt: 1 })], 4);
    assert_eq!(passed.iter().map(text).collect::<Vec<_>>(), ["early"]);
    let finished = NodeEvent::Finished {
        outputs: BTreeMap::new(),
        messages: BTreeMap::new(),
        metadata: FinishMetadata::default(),
    };
    assert!(cursor.pass(&[entry(4, finished)], 5).is_empty());
    assert!(cursor.take(&piece(4, 5, " late")).is_none());
    // A new text of the node begins anew.
    assert_eq!(cursor.take(&piece(5, 0, "again")).as_ref().map(text), Some("again"));
}
