//! An error is reported once, where it is, and its consequences are not.

use super::outline::outline_of;

fn assert_findings(flow: &str, expected: &[&str]) {
    assert_eq!(outline_of(flow).lines().map(str::trim).collect::<Vec<_>>(), expected);
}

const UNKNOWN_TYPE: &str = "Error node.unknown_type: There is no node type `unknown`.";

#[test]
fn input_fed_by_unbound_node_is_not_reported() {
    assert_findings("c: unknown\n b: mix\n c.out -> b.a", &[UNKNOWN_TYPE]);
    let unfed = "Error port.unfed: Input `a` is required, but nothing feeds it.";
    assert_findings("c: unknown\n b: mix\n c.out -> b.b", &[UNKNOWN_TYPE, unfed]);
}

#[test]
fn input_fed_by_invalid_edge_is_not_reported() {
    let unknown = "Error edge.unknown_port: Node `c` has no output `nothing`.";
    assert_findings("c: source\n b: mix\n c.nothing -> b.a", &[unknown]);
    let kind = "Error edge.wrong_kind: Output `context` carries a context, but input `a` takes data.";
    assert_findings("c: context\n b: mix\n c.context -> b.a", &[kind]);
    let dangling = "Error edge.dangling: This edge refers to node `ghost`, which is not in the flow.";
    assert_findings("b: mix\n ghost.out -> b.a", &[dangling]);
}

#[test]
fn input_fed_by_blocked_portal_is_not_reported() {
    let portals = "in: portalIn channel=c\n out: portalOut channel=c\n b: mix\n out.out -> b.a\n";
    let nothing = "Error portal.no_entrance: Nothing feeds the portal `c`.";
    assert_findings(portals, &[nothing]);
    assert_findings(&format!("{portals} c: unknown\n c.out -> in.a"), &[UNKNOWN_TYPE]);
    // The node of unknown type may be the entrance.
    assert_findings("in: unknown\n out: portalOut channel=c\n b: mix\n out.out -> b.a", &[UNKNOWN_TYPE]);
}

#[test]
fn cycle_waiting_for_unbound_node_is_not_reported() {
    let cycle = "a: mix maxEpochs=2\n b: mix\n a.out -> b.a\n b.out -> a.a\n";
    let stuck = "None of its nodes can start, because each waits for another.";
    assert!(outline_of(cycle).ends_with(stuck));
    assert_findings(&format!("{cycle} c: unknown\n c.out -> a.a"), &[UNKNOWN_TYPE]);
}
