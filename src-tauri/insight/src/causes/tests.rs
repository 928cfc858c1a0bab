use plait_core::flow;
use serde_json::{Value, json};

use super::{Inquiry, RunStart, Swap, Trial, TrialRun, Verdict, mixture, swaps};

fn start(prompt: &str, temperature: &Value, input: &str, extra: bool) -> RunStart {
    let mut nodes = json!({
        "start": { "type": "contextStart" },
        "ask": { "type": "chat", "config": { "prompt": prompt, "temperature": temperature } },
        "out": { "type": "output" },
    });
    let mut edges = json!({
        "a": { "source": "start", "sourceOutput": "context", "target": "ask", "targetInput": "context" },
        "b": { "source": "ask", "sourceOutput": "response", "target": "out", "targetInput": "value" },
    });
    if extra {
        nodes["more"] = json!({ "type": "text", "config": { "template": "x" } });
        edges["c"] =
            json!({ "source": "more", "sourceOutput": "text", "target": "ask", "targetInput": "after" });
    }
    let flow =
        flow::read(&json!({ "version": 1, "name": prompt, "nodes": nodes, "edges": edges }).to_string())
            .unwrap();
    RunStart { flow, input: Some(input.to_owned()), ..RunStart::default() }
}

fn names(swaps: &[Swap]) -> Vec<String> {
    let name = |swap: &Swap| match swap {
        Swap::Input { .. } => "input".to_owned(),
        Swap::Set { node, port, .. } => format!("{node}.{port}"),
        Swap::Flow { change } => change.pointer.clone(),
        Swap::Node { node, change } => format!("{node}{}", change.pointer),
        Swap::Structure { changes } => format!("structure of {}", changes.len()),
    };
    swaps.iter().map(name).collect()
}

#[test]
fn each_difference_is_a_swap_and_all_of_them_give_the_second_start() {
    let before = start("Old", &json!(0.5), "in", false);
    let mut after = start("New", &json!(0.1), "other", true);
    after.set.entry("ask".into()).or_default().insert("data".into(), json!(7).into());
    let swaps = swaps(&before, &after);
    assert_eq!(
        names(&swaps),
        ["input", "ask.data", "ask/config/prompt", "ask/config/temperature", "structure of 2"]
    );
    assert_eq!(mixture(&before, &after, &swaps, &[]).unwrap(), before);
    let mut all = mixture(&before, &after, &swaps, &[0, 1, 2, 3, 4]).unwrap();
    all.flow.name.clone_from(&after.flow.name);
    assert_eq!(all, after);
    let prompt = mixture(&before, &after, &swaps, &[2]).unwrap();
    assert_eq!(prompt.flow.nodes["ask"].config["prompt"], "New");
    assert_eq!(prompt.flow.nodes["ask"].config["temperature"], 0.5);
    assert_eq!((prompt.input.as_deref(), prompt.flow.nodes.len()), (Some("in"), 3));
    // The structure of the second flow, with the config of the first one.
    let structure = mixture(&before, &after, &swaps, &[4]).unwrap();
    assert_eq!(structure.flow.nodes["ask"].config["prompt"], "Old");
    assert_eq!(structure.flow.nodes.len(), 4);
}

#[test]
fn starts_that_mean_the_same_have_no_swaps() {
    let (before, mut after) =
        (start("Old", &json!(0.5), "in", false), start("Old", &json!(0.5), "in", false));
    after.flow.name = "Another name".to_owned();
    assert_eq!(swaps(&before, &after), []);
}

fn inquiry(count: usize, samples: u32) -> Inquiry {
    let (before, after, swaps) = ("a".into(), "b".into(), Vec::new());
    Inquiry { before, after, when: None, samples, swaps, trials: Inquiry::planned_trials(count) }
}

/// Runs all that is to run in a world in which these swaps together turn the outcome. Gives what was run.
fn run_all(inquiry: &mut Inquiry, causes: &[usize]) -> Vec<Vec<usize>> {
    let mut ran = Vec::new();
    while let Some(at) = inquiry.next() {
        let trial = &mut inquiry.trials[at];
        let flipped = causes.iter().all(|cause| trial.swaps.contains(cause));
        trial.runs.push(TrialRun { run: "r".into(), flipped: Some(flipped), unanswered: None, nano_usd: 1 });
        ran.push(trial.swaps.clone());
    }
    ran
}

/// The mixtures that turn the outcome, and in how many samples.
fn found(inquiry: &Inquiry) -> Vec<(Vec<usize>, u32)> {
    let Verdict::Found { causes } = inquiry.verdict() else { return Vec::new() };
    causes.into_iter().map(|cause| (cause.swaps, cause.rate.passed)).collect()
}

#[test]
fn one_cause_is_found_without_pairs() {
    let mut inquiry = inquiry(3, 2);
    assert_eq!(inquiry.verdict(), Verdict::Open);
    assert_eq!(run_all(&mut inquiry, &[1]), [[0], [0], [1], [1], [2], [2]]);
    assert_eq!(found(&inquiry), [([1].to_vec(), 2)]);
    assert_eq!(inquiry.spent_nano_usd(), 6);
}

#[test]
fn two_causes_that_only_together_turn_the_outcome_are_found() {
    let mut inquiry = inquiry(3, 1);
    assert_eq!(run_all(&mut inquiry, &[0, 2]), [vec![0], vec![1], vec![2], vec![0, 1], vec![0, 2]]);
    assert_eq!(found(&inquiry), [([0, 2].to_vec(), 1)]);
}

#[test]
fn three_causes_are_not_found_and_a_refused_mixture_is_left_out() {
    let mut inquiry = inquiry(3, 1);
    inquiry.trials[3].refused = Some("It is no flow.".to_owned());
    for trial in &mut inquiry.trials {
        trial.at_most_nano_usd = 10;
    }
    assert_eq!(inquiry.at_most(), (50, 0));
    assert_eq!(run_all(&mut inquiry, &[0, 1, 2]).len(), 5);
    assert_eq!(inquiry.verdict(), Verdict::NotFound);
    assert_eq!(Inquiry::planned_trials(9).len(), 9, "too many for pairs");
}

#[test]
fn half_of_the_samples_is_no_cause() {
    let mut trial = Trial::new(vec![0]);
    for flipped in [Some(true), None] {
        trial.runs.push(TrialRun { run: "r".into(), flipped, unanswered: None, nano_usd: 0 });
    }
    assert!(!trial.turns_the_outcome());
    trial.runs.push(TrialRun { run: "r".into(), flipped: Some(true), unanswered: None, nano_usd: 0 });
    assert!(trial.turns_the_outcome());
}
