use super::BreakpointText;
use crate::{Breakpoint, OutputRef, Side, StopEvent, StopScope};
use plait_core::port::PortKind;

fn read(text: &str) -> Result<Breakpoint, String> {
    let read = text.parse::<BreakpointText>()?.resolve(|node| node == "a.b")?;
    assert_eq!(read.id, read.to_string(), "{text}");
    Ok(Breakpoint { id: String::new(), ..read })
}

fn plain(node: &str) -> Breakpoint {
    Breakpoint { node: Some(node.into()), ..Breakpoint::default() }
}

#[test]
fn breakpoints_are_read() {
    assert_eq!(read("chat"), Ok(plain("chat")));
    assert_eq!(read("chat:after"), Ok(Breakpoint { side: Side::After, ..plain("chat") }));
    let when = Some("value.kind == 'a:b' ? true : false".to_owned());
    assert_eq!(
        read("chat:call:when=value.kind == 'a:b' ? true : false"),
        Ok(Breakpoint { side: Side::Call, when, ..plain("chat") })
    );
    let log = Some("{{value}}: x".to_owned());
    assert_eq!(read("chat:log={{value}}: x"), Ok(Breakpoint { log, ..plain("chat") }));
    let alone = Breakpoint { scope: StopScope::Branch, ..plain("chat") };
    assert_eq!(read("chat:branch"), Ok(alone.clone()));
    let when = Some("value == ':branch'".to_owned());
    assert_eq!(
        read("chat:after:branch:when=value == ':branch'"),
        Ok(Breakpoint { side: Side::After, when, ..alone })
    );
    let path = vec!["review".into(), "inner".into()];
    assert_eq!(read("review/inner/chat"), Ok(Breakpoint { path, ..plain("chat") }));
    assert_eq!(read("*:after"), Ok(Breakpoint { side: Side::After, ..Breakpoint::default() }));
}

#[test]
fn node_with_dot_comes_before_port() {
    let port = Some("score".into());
    assert_eq!(
        read("review/judge.score:when=value < 0.5"),
        Ok(Breakpoint {
            path: vec!["review".into()],
            side: Side::After,
            port: port.clone(),
            when: Some("value < 0.5".to_owned()),
            ..plain("judge")
        })
    );
    assert_eq!(read("judge.score:before"), Ok(Breakpoint { port, ..plain("judge") }));
    assert_eq!(read("a.b"), Ok(plain("a.b")));
    assert_eq!(
        read("a.b.text"),
        Ok(Breakpoint { side: Side::After, port: Some("text".into()), ..plain("a.b") })
    );
    assert_eq!(read("a.c"), Ok(Breakpoint { side: Side::After, port: Some("c".into()), ..plain("a") }));
}

#[test]
fn edges_and_kinds_are_read() {
    let from = Some(OutputRef { node: "x".into(), port: "value".into() });
    let edge = Breakpoint { port: Some("text".into()), from, ..plain("y") };
    assert_eq!(read("x.value->y.text"), Ok(edge.clone()));
    assert_eq!(read("s/x.value -> y.text"), Ok(Breakpoint { path: vec!["s".into()], ..edge }));
    let kind = Some(PortKind::Context);
    assert_eq!(read("chat:context"), Ok(Breakpoint { side: Side::After, kind, ..plain("chat") }));
    assert_eq!(read("chat:before:tools"), Ok(Breakpoint { kind: Some(PortKind::Tools), ..plain("chat") }));
}

#[test]
fn events_are_read() {
    let on = |event| Breakpoint { event: Some(event), ..Breakpoint::default() };
    assert_eq!(read("event:trimmed"), Ok(on(StopEvent::HistoryTrimmed)));
    assert_eq!(read("event:spent=0.50"), Ok(on(StopEvent::SpendingPassed { nano_usd: 500_000_000 })));
    assert_eq!(read("event:spent=2"), Ok(on(StopEvent::SpendingPassed { nano_usd: 2_000_000_000 })));
    let main = StopEvent::ContextChanged { context: Some("main".into()) };
    assert_eq!(read("event:changed=main"), Ok(on(main)));
    assert_eq!(
        read("s/chat:event:retried:branch"),
        Ok(Breakpoint {
            path: vec!["s".into()],
            scope: StopScope::Branch,
            event: Some(StopEvent::AttemptRetried),
            ..plain("chat")
        })
    );
    // A node may have that name.
    assert_eq!(read("event:after"), Ok(Breakpoint { side: Side::After, ..plain("event") }));
}

#[test]
fn what_is_written_is_read_again() {
    for text in [
        "chat:before",
        "s/chat.text:after:branch:when=value == 'x':log={{value}}",
        "x.value->y.text:branch",
        "chat:after:context",
        "event:spent=0.05",
        "s/*:event:changed=critic",
        "chat:event:untrusted",
        "*:call",
    ] {
        assert_eq!(read(text).unwrap().to_string(), text);
    }
}

#[test]
fn what_is_no_breakpoint_is_refused() {
    for text in [
        "",
        "review/",
        "chat:later",
        ":after",
        ":branch",
        "judge.",
        ".score",
        "event:",
        "event:spent",
        "event:spent=x",
        "event:spent=1.",
        "event:nosuch",
        "x->y.text",
        "x.value->y",
        "x.value->y.text:after",
        "chat:after:event:trimmed",
    ] {
        assert!(read(text).is_err(), "{text}");
    }
}

#[test]
fn written_text_stays_and_says_whether_nodes_decide() {
    for (text, has_dots) in [
        ("judge:after:when=value > 0.5", false),
        ("judge.score", true),
        ("a.out->b.in", true),
        ("event:spent=0.50", false),
    ] {
        let parsed: BreakpointText = text.parse().unwrap();
        assert_eq!((parsed.to_string().as_str(), parsed.has_dots()), (text, has_dots), "{text}");
    }
}
