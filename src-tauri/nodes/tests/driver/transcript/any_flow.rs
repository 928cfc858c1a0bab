//! Random flows with sub-flows, loops, workflow memory, people and several agents, against a naive account of what was said.
//!
//! Every text in a run is said once, so a text is the identity of a message. [`reference`] says what the contexts, the memory and each
//! request must hold.

mod flow;
mod played;
mod reference;

use proptest::prelude::*;

use flow::{AnyFlow, CONTEXTS, Kind, Place, Source, Step, any_flow};
use played::Played;
use reference::{Line, Reference};

fn check(flow: &AnyFlow) -> Result<(), TestCaseError> {
    let played = Played::of(flow)?;
    let mut reference = Reference::new(flow);
    reference.play(&played)?;
    let what = || format!("{:#?}\n{}", flow.steps, played.nodes);
    prop_assert_eq!(played.memory(), reference.memory.clone(), "{}", what());
    for (at, history) in played.histories().iter().enumerate() {
        let lines: Vec<Line> = history.iter().map(|(line, _)| line.clone()).collect();
        prop_assert_eq!(&lines, &reference.history(at), "context {} of {}", CONTEXTS[at], what());
        let mut texts: Vec<&str> = lines.iter().map(|(_, text)| text.as_str()).collect();
        texts.sort_unstable();
        prop_assert!(texts.windows(2).all(|pair| pair[0] != pair[1]), "{:?} of {}", texts, what());
        // Only nodes that add what was said without an answer leave a message of the user before another one.
        for pair in history.windows(2).filter(|pair| pair.iter().all(|((role, _), _)| role == "user")) {
            let by = &played.nodes[&pair[0].1]["type"];
            prop_assert!(by == "injectMessages" || by == "userInput", "{:?} of {}", pair, what());
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_was_said_reaches_each_model_once_and_in_order(flow in any_flow()) {
        check(&flow)?;
    }
}

/// What a chat without a history said waits on its context edge, also past a loop, until a node takes it.
#[test]
fn what_waits_on_an_edge_past_a_loop_is_taken_behind_it() {
    let chat = |skips_history| Kind::Chat { own_words: false, skips_history };
    let kinds = [
        (chat(true), Place::Before, 0),
        (chat(false), Place::Inside, 1),
        (Kind::Inject { ends_with_user: true, count: 1 }, Place::After, 0),
    ];
    let step = |(at, (kind, place, context)): (usize, (Kind, Place, usize))| Step {
        name: format!("{}{at:02}", if place == Place::After { "u" } else { "s" }),
        kind,
        place,
        context,
        source: Source::Start,
        uses_memory: false,
    };
    let steps = kinds.into_iter().enumerate().map(step).collect();
    let flow = AnyFlow { steps, has_memory: false, is_conversation: false, is_nested: false };
    check(&flow).unwrap_or_else(|error| panic!("{error}"));
}

/// A new node type that takes what waits in a context has to be played here, or to say why not.
#[test]
fn each_node_type_that_takes_from_a_context_is_played() {
    let played = ["chat", "classify", "extract", "subflow", "injectMessages", "userInput"];
    let others = [
        // Ask a person about a value; what waits stays.
        "approval",
        // Make contexts, or change their settings.
        "newContext",
        "setContext",
        // Search with what waits or store a memory, and leave it there.
        "retrieve",
        "recall",
        "remember",
        // Says its text as a person does.
        "manualInput",
        // The nodes inside take it.
        "loop",
    ];
    let registry = plait_nodes::registry();
    let takes = |ports: &plait_core::port::Ports| {
        ports.inputs.iter().any(|port| port.kind == plait_core::port::PortKind::Context)
    };
    let found: Vec<&str> = registry
        .descriptors()
        .into_iter()
        .filter(|descriptor| takes(&descriptor.ports))
        .map(|descriptor| descriptor.node_type.as_str())
        .filter(|node_type| !played.contains(node_type) && !others.contains(node_type))
        .collect();
    assert_eq!(found, Vec::<&str>::new());
}
