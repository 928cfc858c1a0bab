use plait_core::id::Epoch;
use plait_journal::LoopEvent;

use super::*;

/// The lines of entries.
struct Lines(Vec<Vec<u8>>);

impl Lines {
    fn of(entries: &[Entry]) -> Self {
        Self(entries.iter().map(|entry| serde_json::to_vec(entry).unwrap()).collect())
    }
}

impl JournalLines for Lines {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn line(&self, index: usize) -> &[u8] {
        &self.0[index]
    }

    fn entry(&self, index: usize) -> Option<Entry> {
        serde_json::from_slice(self.line(index)).ok()
    }
}

fn at(node: &str) -> Activation {
    Activation { node: node.into(), epoch: Epoch::root() }
}

fn finished_with(node: &str, output: &str) -> Event {
    let outputs = [("text".into(), std::sync::Arc::new(output.into()))].into();
    let (messages, metadata) = Default::default();
    NodeEvent::Finished { outputs, messages, metadata }.of(at(node))
}

/// A node starts a child run, goes on beside another one, and ends with the child run. An event each ten milliseconds.
fn entries() -> Vec<Entry> {
    let child = || RunId::from("child");
    let events = [
        NodeEvent::Started { attempt: 1 }.of(at("a")),
        ChildEvent::Started { run: child() }.of(at("a")),
        NodeEvent::Started { attempt: 1 }.of(at("b")),
        finished_with("b", "what b said"),
        Event::Loop(at("c"), LoopEvent::Iteration),
        finished_with("a", "what a said"),
        NodeEvent::Started { attempt: 1 }.of(at("d")),
    ];
    let entry =
        |(seq, event): (u64, Event)| Entry { seq: Some(seq), at: 100 + 10 * seq, event, interrupted_ms: 0 };
    (0..).zip(events).map(entry).collect()
}

/// The positions of what a fork reads, how many events count, where they end, and when.
fn outline(journal: &EarlierJournal<'_>) -> (Vec<u64>, usize, u64, Option<u64>) {
    let read = journal.entries().iter().filter_map(|entry| entry.seq).collect();
    (read, journal.len(), journal.end(), journal.last_time())
}

#[test]
fn what_a_fork_computes_again_counts_but_is_not_read() {
    let entries = entries();
    let journal = EarlierJournal::of_lines(&Lines::of(&entries));
    assert_eq!(outline(&journal), (vec![1, 3, 4, 5], 7, 7, Some(160)));
    for entry in journal.entries() {
        let whole = &entries[usize::try_from(entry.seq.unwrap()).unwrap()];
        match (&entry.event, &whole.event) {
            (Event::Node(read, NodeEvent::Finished { outputs, .. }), Event::Node(recorded, _)) => {
                assert_eq!((read, outputs.len(), entry.at), (recorded, 0, whole.at));
            }
            _ => assert_eq!(entry, whole),
        }
    }
}

#[test]
fn cuts_leave_the_same_of_lines_and_entries() {
    type Cut = fn(&mut EarlierJournal<'_>);
    let cuts: [(Cut, &[u64], u64); 7] = [
        (|journal| journal.leave_first(3), &[1], 3),
        (|journal| journal.leave_first(100), &[1, 3, 4, 5], 7),
        (|journal| journal.leave_until(139), &[1, 3], 4),
        // The end of the child run led to the end of its node, or to what happened later than it.
        (|journal| journal.leave_before_end_of(&"child".into(), 1_000), &[1, 3, 4], 5),
        (|journal| journal.leave_before_end_of(&"child".into(), 125), &[1], 3),
        (|journal| journal.leave_before_end_of(&"child".into(), 0), &[1], 2),
        (|journal| journal.leave_before_end_of(&"nobody".into(), 0), &[1, 3, 4, 5], 7),
    ];
    let (entries, lines) = (entries(), Lines::of(&entries()));
    for (index, (cut, read, end)) in cuts.into_iter().enumerate() {
        let mut of_lines = EarlierJournal::of_lines(&lines);
        cut(&mut of_lines);
        assert_eq!((outline(&of_lines).0.as_slice(), of_lines.end()), (read, end), "{index}");
        let mut of_entries = EarlierJournal::of_entries(&entries);
        cut(&mut of_entries);
        let count = |journal: &EarlierJournal<'_>| (journal.len(), journal.end(), journal.last_time());
        assert_eq!(count(&of_lines), count(&of_entries), "{index}");
    }
}

#[test]
fn damaged_lines_do_not_count() {
    let mut lines = Lines::of(&entries());
    lines.0[2] = b"{".to_vec();
    assert_eq!(outline(&EarlierJournal::of_lines(&lines)), (vec![1, 3, 4, 5], 6, 7, Some(160)));
}
