use plait_engine::id::Activation;
use plait_engine::journal::{Event, NodeEvent};

use super::*;

const RUN: RunKey = [7; 16];

fn lines_of(first_seq: u64, lengths: &[usize]) -> Lines {
    let text = lengths.iter().flat_map(|&length| [vec![b'x'; length], b"\n".to_vec()].concat()).collect();
    Lines { run: RUN, first_seq, text }
}

fn shape(segment: &Segment) -> (u64, u64, usize) {
    (segment.first_seq, segment.next_seq, segment.text.len())
}

#[test]
fn entries_share_a_piece_until_it_is_full_and_a_large_one_stands_alone() {
    let mut open_segment = None;
    assert!(add(&mut open_segment, &lines_of(0, &[10, 10])).is_empty());
    let full = add(&mut open_segment, &lines_of(2, &[FULL, 5]));
    assert_eq!(full.iter().map(shape).collect::<Vec<_>>(), [(0, 2, 22), (2, 3, FULL + 1)]);
    assert_eq!(open_segment.as_ref().map(shape), Some((3, 4, 6)));
    assert_eq!(add(&mut open_segment, &lines_of(4, &[FULL - 7])).len(), 0, "filled to the last byte");
}

#[test]
fn what_does_not_go_on_from_a_piece_begins_another() {
    let mut open_segment = None;
    add(&mut open_segment, &lines_of(0, &[1]));
    assert_eq!(add(&mut open_segment, &lines_of(5, &[1])).len(), 1, "a gap");
    let other = Lines { run: [8; 16], ..lines_of(6, &[1]) };
    assert_eq!(add(&mut open_segment, &other).len(), 1, "another run");
}

#[test]
fn a_text_of_several_lines_stays_one_line() {
    let event = Event::Node(
        Activation { node: "n".into(), epoch: plait_engine::id::Epoch::root() },
        NodeEvent::Paused { prompt: "a\nb\r\nc".into(), schema: serde_json::json!({}) },
    );
    let written = Lines::of(RUN, 0, &[Entry { seq: Some(0), at: 1, event }]).unwrap();
    assert_eq!(
        (written.text.split(|&byte| byte == b'\n').count(), count(&written.text)),
        (2, 1),
        "one line, and its end"
    );
}
