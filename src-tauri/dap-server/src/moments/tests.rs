use std::collections::HashMap;

use plait_core::id::Epoch;
use plait_journal::{DebugVerb, Side, StopCause, StopScope};

use super::*;

#[derive(Default)]
struct Recorded {
    runs: HashMap<RunId, Vec<Entry>>,
    parents: HashMap<RunId, (RunId, Activation)>,
}

impl Journals for Recorded {
    fn entries(&self, run: &RunId) -> &[Entry] {
        self.runs.get(run).map_or(&[], Vec::as_slice)
    }

    fn parent(&self, run: &RunId) -> Option<&(RunId, Activation)> {
        self.parents.get(run)
    }
}

fn at(node: &str) -> Activation {
    Activation { node: node.into(), epoch: Epoch::root() }
}

fn event(word: &str, node: &str) -> Event {
    match word {
        "start" => Event::Node(at(node), NodeEvent::Started { attempt: 1 }),
        "end" => Event::Node(
            at(node),
            NodeEvent::Failed {
                error: Box::new(plait_core::error::Fault::new(crate::codes::DAP_ORDER, "x")),
                handled: true,
                origins: plait_core::origin::Origins::NONE,
            },
        ),
        "stop" => Event::Debug(DebugEvent::Stopped {
            cause: StopCause::Step,
            scope: StopScope::Tree,
            point: Some(StopPoint {
                node: node.into(),
                epoch: Epoch::root(),
                attempt: 1,
                side: Side::Before,
                call: None,
            }),
            values: plait_journal::NodeOutputs::new(),
            ways: Vec::new(),
            error: None,
        }),
        "go" => Event::Debug(DebugEvent::Continued { verb: DebugVerb::Continue, stop: None, point: None }),
        "child" => Event::Child(at(node), ChildEvent::Started { run: "child".into() }),
        _ => Event::Node(at(node), NodeEvent::Ready { inputs: std::collections::BTreeMap::new() }),
    }
}

fn journal(text: &str) -> Vec<Entry> {
    let entry = |(seq, word): (usize, &str)| {
        let (word, node) = word.split_once(':').unwrap();
        Entry { seq: Some(seq as u64), at: 0, event: event(word, node), interrupted_ms: 0 }
    };
    text.split_whitespace().enumerate().map(entry).collect()
}

/// A run that stands still before `c`, with a sub-flow in `b`.
fn recorded() -> (Recorded, Moment) {
    let root = journal("ready:a start:a end:a ready:b stop:b go:b start:b child:b end:b ready:c stop:c");
    let child = journal("ready:x start:x end:x ready:y start:y end:y");
    let events = root.len();
    let runs = HashMap::from([("root".into(), root), ("child".into(), child)]);
    let parents = HashMap::from([("child".into(), ("root".into(), at("b")))]);
    (Recorded { runs, parents }, Moment { run: "root".into(), events })
}

fn name(recorded: &Recorded, moment: Option<&Moment>) -> String {
    moment.map_or_else(String::new, |moment| {
        format!("{} {}", moment.run, moment.activation(recorded).map(|at| at.to_string()).unwrap_or_default())
    })
}

#[test]
fn steps_lead_back_and_forth_through_what_was_recorded() {
    let (recorded, present) = recorded();
    let name = |moment: &Option<Moment>| name(&recorded, moment.as_ref());
    assert_eq!(name(&Some(present.clone())), "root c");
    let before_b = present.back(&recorded);
    assert_eq!(name(&before_b), "root b");
    let before_b = before_b.unwrap();
    let before_a = before_b.back(&recorded).unwrap();
    assert_eq!(name(&Some(before_a.clone())), "root a");
    assert_eq!(before_a.back(&recorded), None);
    assert_eq!(before_a.over(&recorded), Some(before_b.clone()));
    assert_eq!(before_b.over(&recorded), None, "what comes next is the present");
    let inside = before_b.inside(&recorded).unwrap();
    assert_eq!(name(&Some(inside.clone())), "child x");
    let second = inside.over(&recorded);
    assert_eq!(name(&second), "child y");
    assert_eq!(second.as_ref().unwrap().back(&recorded), Some(inside.clone()));
    assert_eq!(second.unwrap().over(&recorded), None);
    assert_eq!(inside.out(&recorded), None);
    assert_eq!(name(&inside.back(&recorded)), "root b", "before the sub-flow is its node");
}

#[test]
fn reverse_continue_stops_where_the_run_did_and_at_breakpoints() {
    let (recorded, present) = recorded();
    let never = |_: &RunId, _: &NodeId| false;
    let stop_at_b = present.back_to_stop(&recorded, never).unwrap();
    assert_eq!((stop_at_b.events, name(&recorded, Some(&stop_at_b))), (5, "root b".to_owned()));
    let beginning = stop_at_b.back_to_stop(&recorded, never);
    assert_eq!(name(&recorded, beginning.as_ref()), "root a");
    assert_eq!(beginning.unwrap().back_to_stop(&recorded, never), None);
    let at_y = |_: &RunId, node: &NodeId| node.as_str() == "y";
    let from = Moment { run: "child".into(), events: 6 };
    let at = from.back_to_stop(&recorded, at_y);
    assert_eq!(name(&recorded, at.as_ref()), "child y");
    assert_eq!(stop_at_b.on_to_stop(&recorded, never).unwrap().events, 11);
    assert_eq!(name(&recorded, at.unwrap().on_to_stop(&recorded, never).as_ref()), "root c");
}
