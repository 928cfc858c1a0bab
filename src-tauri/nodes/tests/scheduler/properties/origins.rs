//! Where values come from: an output comes from all origins of its node, and from all origins of its inputs. The
//! reference walks back over the sources that the journal names, for each activation separately.

use std::collections::{BTreeMap, BTreeSet};

use plait_core::id::Activation;
use plait_journal::{Answer, Entry, Event, NodeEvent, RunEvent, SourceRef};
use proptest::prelude::*;

use super::{assert_holds, runnable};
use crate::journal_summary::format_journal;
use crate::run_harness::Schedule;

/// The part of a journal that matters here.
#[derive(Default)]
struct Flows {
    sources: BTreeMap<Activation, Vec<Activation>>,
    /// What activations say that they brought in.
    brought: BTreeMap<Activation, BTreeSet<String>>,
    /// What they say that their inputs come from.
    received: BTreeMap<Activation, BTreeSet<String>>,
    finished: Vec<Activation>,
    ended: BTreeSet<Activation>,
    end: Option<BTreeSet<String>>,
}

fn texts(origins: impl IntoIterator<Item = impl ToString>) -> BTreeSet<String> {
    origins.into_iter().map(|origin| origin.to_string()).collect()
}

impl Flows {
    fn of(entries: &[Entry]) -> Self {
        let mut flows = Self::default();
        for entry in entries {
            match &entry.event {
                Event::Node(activation, NodeEvent::Ready { inputs }) => {
                    let source = |source: &SourceRef| Activation {
                        node: source.node.clone(),
                        epoch: source.epoch.clone(),
                    };
                    let sources = inputs.values().flatten().map(source).collect();
                    flows.sources.insert(activation.clone(), sources);
                }
                Event::Node(activation, NodeEvent::Finished { metadata, .. }) => {
                    flows.brought.insert(activation.clone(), texts(metadata.origins.iter()));
                    let listed = metadata.extra.get("inputOrigins").and_then(|list| list.as_array());
                    let listed = listed.into_iter().flatten().filter_map(|text| text.as_str());
                    flows.received.insert(activation.clone(), texts(listed));
                    flows.finished.push(activation.clone());
                }
                // The node did not say anything: a person ended its pause.
                Event::Node(activation, NodeEvent::Answered { answer: Answer::End, .. }) => {
                    flows.ended.insert(activation.clone());
                }
                Event::Node(activation, NodeEvent::Failed { origins, .. }) => {
                    flows.brought.insert(activation.clone(), texts(origins.iter()));
                }
                Event::Run(RunEvent::Finished { origins, .. }) => flows.end = Some(texts(origins.iter())),
                _ => {}
            }
        }
        flows
    }

    /// All that was brought in by the sources of an activation, and by theirs.
    fn walk_back(&self, activation: &Activation) -> BTreeSet<String> {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&Activation> = self.sources.get(activation).into_iter().flatten().collect();
        let mut found = BTreeSet::new();
        while let Some(source) = open.pop() {
            if seen.insert(source) {
                found.extend(self.brought.get(source).into_iter().flatten().cloned());
                open.extend(self.sources.get(source).into_iter().flatten());
            }
        }
        found
    }
}

#[test]
fn inputs_come_from_all_that_their_sources_come_from() {
    assert_holds(300, 14, |case| {
        let (scenario, _, _) = runnable(case)?;
        let record = scenario.run(Schedule::seeded(case.seed));
        let flows = Flows::of(&record.entries);
        let journal = || format_journal(&record.entries);
        for activation in flows.finished.iter().filter(|activation| !flows.ended.contains(activation)) {
            let received = flows.received.get(activation).cloned().unwrap_or_default();
            prop_assert_eq!(received, flows.walk_back(activation), "{}\n{}", activation, journal());
        }
        if let Some(end) = &flows.end {
            let brought: BTreeSet<_> = flows.brought.values().flatten().cloned().collect();
            prop_assert!(end.is_subset(&brought), "{:?}\n{}", end, journal());
        }
        Ok(())
    });
}
