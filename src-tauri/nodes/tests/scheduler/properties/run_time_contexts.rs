//! A context that a value names at run time: whether it exists is decided by plan order and epochs, never by timing.

use std::collections::BTreeMap;

use plait_core::id::NodeId;
use serde_json::json;

use crate::generate::Case;
use crate::journal_summary::{Final, format_journal, summarize};
use crate::run_harness::Schedule;

/// Runs the flow under many schedules. `named` gives inputs the handle of a context. Asserts that in each run these
/// activations of `user` find the context, and all others do not.
fn assert_found(text: &str, named: &[(&str, &str, &str)], user: &str, found: &[&str]) {
    let mut case = Case::written(text);
    for (node, input, context) in named {
        let values = [((*input).into(), json!({ "contextId": context }))];
        case.overrides.insert(NodeId::from(*node), BTreeMap::from(values));
    }
    let scenario = case.scenario(case.plan().unwrap());
    for seed in 0..300 {
        let run = scenario.run(Schedule { asynchrony: 7, ..Schedule::seeded(seed) });
        let summary = summarize(&run.entries).unwrap();
        let of_user = summary.activations.iter().filter(|(at, _)| at.node.as_str() == user);
        let ends: Vec<_> = of_user
            .map(|(at, record)| match &record.end {
                Some(Final::Finished(_)) => (at.to_string(), true),
                Some(Final::Failed { code, handled: true }) if code == "context.unknown" => {
                    (at.to_string(), false)
                }
                other => panic!("seed {seed}: {at} ended as {other:?}\n{}", format_journal(&run.entries)),
            })
            .collect();
        let ran: Vec<&str> = ends.iter().filter(|(_, found)| *found).map(|(at, _)| at.as_str()).collect();
        assert_eq!(ran, found, "seed {seed}\n{}", format_journal(&run.entries));
        assert!(!ends.is_empty());
    }
}

/// A cycle of three epochs, and a maker of contexts that lags behind it.
const LAGGING_MAKER: &str = "
    a: source
    b: mix maxEpochs=3
    slow: effect steps=3
    made: context
    seen: maybe
    a.out -> b.a
    b.out -> b.b
    b.out -> slow.a
    slow.out -> made.a\n";

#[test]
fn context_of_lagging_maker_exists_for_users_after_its_cycle() {
    let text = format!("{LAGGING_MAKER} z: guest salt=1\n z.error -> seen.a");
    assert_found(&text, &[("z", "who", "made#2")], "z", &["z"]);
}

#[test]
fn context_of_lagging_maker_does_not_exist_for_users_before_its_cycle() {
    let text = format!("{LAGGING_MAKER} 0: guest salt=1\n 0.error -> seen.a");
    assert_found(&text, &[("0", "who", "made#0")], "0", &[]);
}

/// The user stands before the maker in plan order, so it finds the contexts of earlier epochs.
#[test]
fn context_of_lagging_maker_exists_from_the_next_epoch() {
    let text = format!(
        "{LAGGING_MAKER}
         m: guest salt=1
         b.out -> m.a
         m.out -> b.more
         m.error -> seen.a"
    );
    assert_found(&text, &[("m", "who", "made#0")], "m", &["m#1", "m#2"]);
    assert_found(&text, &[("m", "who", "made#1")], "m", &["m#2"]);
}

/// The user stands behind the maker in plan order, so it waits for it in the same epoch.
#[test]
fn user_in_a_cycle_waits_for_lagging_maker_before_it() {
    let text = format!(
        "{LAGGING_MAKER}
         z: guest salt=1
         b.out -> z.a
         z.out -> b.more
         z.error -> seen.a"
    );
    assert_found(&text, &[("z", "who", "made#1")], "z", &["z#1", "z#2"]);
}

/// Of an inner cycle, followers stand beside it in the outer one.
#[test]
fn context_of_follower_of_inner_cycle_exists_by_place_in_the_outer() {
    let text = "
        a: source
        b: mix maxEpochs=2
        i: mix maxEpochs=2
        slow: effect steps=2
        made: context
        seen: maybe
        USER: guest salt=1
        a.out -> b.a
        b.out -> i.a
        i.out -> i.b
        i.out -> b.b
        i.out -> slow.a
        slow.out -> made.a
        i.out -> USER.a
        USER.out -> b.more
        USER.error -> seen.a";
    let named = |user| [(user, "who", "made#0.1")];
    assert_found(&text.replace("USER", "z"), &named("z"), "z", &["z#0", "z#1"]);
    assert_found(&text.replace("USER", "j"), &named("j"), "j", &["j#1"]);
}

/// Here the user lags. A maker behind the cycle in plan order makes its context only after all of the user's epochs.
#[test]
fn context_made_after_lagging_user_does_not_exist_for_it() {
    let text = "
        a: source
        b: mix maxEpochs=3
        slow: effect steps=3
        p: pass
        user: guest salt=1
        seen: maybe
        zmade: context
        a.out -> b.a
        b.out -> b.b
        b.out -> slow.a
        slow.out -> user.a
        p.out -> user.who
        user.error -> seen.a";
    assert_found(text, &[("p", "a", "zmade")], "user", &[]);
    let before = text.replace("zmade", "0made");
    assert_found(&before, &[("p", "a", "0made")], "user", &["user#0", "user#1", "user#2"]);
}
