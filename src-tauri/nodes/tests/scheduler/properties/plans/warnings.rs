//! Warnings: turns in an order that no edge sets, and inputs that may get two values at once.

use super::outline::outline_of;

fn warnings(flow: &str) -> Vec<String> {
    let outline = outline_of(flow);
    assert!(!outline.contains("Error"), "{outline}");
    outline.lines().filter_map(|line| line.trim().strip_prefix("Warning ")).map(str::to_owned).collect()
}

const CYCLE: &str = "
    here: context
    start: source
    ask: ask
    a: turn
    b: turn
    start.out -> ask.a
    here.context -> a.context
    here.context -> b.context
    ask.out -> a.a";

fn unordered(first: &str, second: &str) -> [String; 1] {
    [format!(
        "context.unordered: `{first}` and `{second}` share a context, but no path between them sets their order. `{first}` goes first."
    )]
}

/// The back edge from `a` leads to `b` in the next iteration, and sets no order in this one.
#[test]
fn turns_in_one_iteration_without_a_path_are_unordered() {
    let side_by_side = format!("{CYCLE}\n ask.out -> b.a\n a.out -> ask.a\n b.out -> ask.b");
    assert_eq!(warnings(&side_by_side), unordered("a", "b"));
    let one_behind_the_other = format!("{CYCLE}\n a.out -> b.a\n b.out -> ask.a");
    assert_eq!(warnings(&one_behind_the_other), [""; 0]);
}

/// A follower has its turn in each iteration; a node that waits for the end of an inner cycle comes after all of them.
#[test]
fn turn_of_follower_is_unordered_and_turn_after_cycle_is_not() {
    let follows = format!("{CYCLE}\n a.out -> ask.b\n ask.out -> b.a");
    assert_eq!(warnings(&follows), unordered("a", "b"));
    let waits = format!(
        "{CYCLE}
        outer: mix maxEpochs=2
        start.out -> outer.a
        outer.out -> ask.b
        a.out -> ask.b
        ask.out -> b.a
        b.out -> outer.a"
    );
    assert_eq!(warnings(&waits), [""; 0]);
}

fn twice(first: &str, last: &str) -> [String; 1] {
    [format!(
        "port.fed_twice: Input `a` takes one value, but `{first}` and `{last}` can both feed it. The value of `{last}` counts."
    )]
}

#[test]
fn input_fed_by_two_live_values_is_reported() {
    let paused = "s: source\n a: ask\n m: mix\n s.out -> a.a\n a.out -> m.a\n s.out -> m.a";
    assert_eq!(warnings(paused), twice("s", "a"));
    let branches =
        "s: source\n p: route\n q: route\n m: mix\n s.out -> p.a\n s.out -> q.a\n p.x -> m.a\n q.y -> m.a";
    assert_eq!(warnings(branches), twice("p", "q"));
    let beside = "s: source\n p: route\n m: mix\n s.out -> p.a\n p.x -> m.a\n p.y -> m.b\n s.out -> m.a";
    assert_eq!(warnings(beside), twice("s", "p"));
}

#[test]
fn input_fed_by_alternatives_is_not_reported() {
    let fork = "s: source\n p: route\n l: mix\n r: mix\n m: mix\n s.out -> p.a\n p.x -> l.a\n p.y -> r.a\n";
    let meets = format!("{fork} l.out -> m.a\n r.out -> m.a");
    assert_eq!(warnings(&meets), [""; 0]);
    let fails = "s: source\n f: flaky\n c: mix\n m: mix\n s.out -> f.a\n f.error -> c.a\n f.out -> m.a\n c.out -> m.a";
    assert_eq!(warnings(fails), [""; 0]);
    // A node that takes either branch depends on neither, so its value may come with both.
    let meets_again = format!("{meets}\n n: mix\n m.out -> n.a\n l.out -> n.a");
    assert_eq!(warnings(&meets_again), twice("l", "m"));
}
