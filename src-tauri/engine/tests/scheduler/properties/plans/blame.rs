//! What is wrong is told of where it lies, and not again of those who would be right without it.

use super::outline::plan_of;

fn blames(flow: &str, expected: &[&str]) {
    assert_eq!(plan_of(flow).lines().map(str::trim).collect::<Vec<_>>(), expected);
}

const NOBODY: &str = "Error node.unknown_type: There is no node type `nobody`.";

#[test]
fn who_is_wired_to_what_cannot_be_read() {
    blames("c: nobody\n b: mix\n c.out -> b.a", &[NOBODY]);
    let unfed = "Error port.unfed: Input `a` is required, but nothing feeds it.";
    blames("c: nobody\n b: mix\n c.out -> b.b", &[NOBODY, unfed]);
}

#[test]
fn who_is_wired_by_an_edge_that_is_wrong() {
    let unknown = "Error edge.unknown_port: Node `c` has no output `nothing`.";
    blames("c: source\n b: mix\n c.nothing -> b.a", &[unknown]);
    let kind = "Error edge.wrong_kind: Output `context` carries a context, but input `a` takes data.";
    blames("c: context\n b: mix\n c.context -> b.a", &[kind]);
    let dangling = "Error edge.dangling: This edge refers to node `ghost`, which is not in the flow.";
    blames("b: mix\n ghost.out -> b.a", &[dangling]);
}

#[test]
fn who_is_wired_through_a_portal_that_nothing_comes_through() {
    let portals = "in: portalIn channel=c\n out: portalOut channel=c\n b: mix\n out.out -> b.a\n";
    let nothing = "Error portal.no_entrance: Nothing feeds the portal `c`.";
    blames(portals, &[nothing]);
    blames(&format!("{portals} c: nobody\n c.out -> in.a"), &[NOBODY]);
    // Whether the node that can't be read was the way in cannot be known.
    blames("in: nobody\n out: portalOut channel=c\n b: mix\n out.out -> b.a", &[NOBODY]);
}

#[test]
fn who_would_start_a_cycle_if_it_were_fed() {
    let cycle = "a: mix maxEpochs=2\n b: mix\n a.out -> b.a\n b.out -> a.a\n";
    let stuck = "None of its nodes can start, because each waits for another.";
    assert!(plan_of(cycle).ends_with(stuck));
    blames(&format!("{cycle} c: nobody\n c.out -> a.a"), &[NOBODY]);
}
