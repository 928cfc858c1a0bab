use plait_run::journal::{Breakpoint, DebugVerb, Side, StopScope};

use serde_json::json;

use super::{HistoryCommand, StopCommand, number, parse_breakpoint, parse_command, with_setting};

fn plain(node: &str) -> Breakpoint {
    Breakpoint {
        id: String::new(),
        path: Vec::new(),
        node: node.into(),
        side: Side::Before,
        port: None,
        when: None,
        log: None,
        scope: StopScope::Tree,
        disabled: false,
    }
}

#[test]
fn breakpoints_are_read() {
    assert_eq!(parse_breakpoint("chat"), Ok(plain("chat")));
    assert_eq!(parse_breakpoint("chat:after"), Ok(Breakpoint { side: Side::After, ..plain("chat") }));
    let when = Some("value.kind == 'a:b' ? true : false".to_owned());
    assert_eq!(
        parse_breakpoint("chat:call:when=value.kind == 'a:b' ? true : false"),
        Ok(Breakpoint { side: Side::Call, when: when.clone(), ..plain("chat") })
    );
    assert_eq!(
        parse_breakpoint("chat:when=value.kind == 'a:b' ? true : false"),
        Ok(Breakpoint { when, ..plain("chat") })
    );
    let log = Some("{{value}}: x".to_owned());
    assert_eq!(parse_breakpoint("chat:log={{value}}: x"), Ok(Breakpoint { log, ..plain("chat") }));
    let port = Some("score".into());
    assert_eq!(
        parse_breakpoint("review/judge.score:when=value < 0.5"),
        Ok(Breakpoint {
            path: vec!["review".into()],
            side: Side::After,
            port: port.clone(),
            when: Some("value < 0.5".to_owned()),
            ..plain("judge")
        })
    );
    assert_eq!(parse_breakpoint("judge.score:before"), Ok(Breakpoint { port, ..plain("judge") }));
    let alone = Breakpoint { scope: StopScope::Branch, ..plain("chat") };
    assert_eq!(parse_breakpoint("chat:branch"), Ok(alone.clone()));
    let when = Some("value == ':branch'".to_owned());
    assert_eq!(
        parse_breakpoint("chat:after:branch:when=value == ':branch'"),
        Ok(Breakpoint { side: Side::After, when, ..alone })
    );
    let path = vec!["review".into(), "inner".into()];
    assert_eq!(parse_breakpoint("review/inner/chat"), Ok(Breakpoint { path, ..plain("chat") }));
}

#[test]
fn what_is_no_breakpoint_is_refused() {
    for text in ["", "review/", "chat:later", ":after", ":branch", "judge.", ".score"] {
        assert!(parse_breakpoint(text).is_err(), "{text}");
    }
}

#[test]
fn breakpoints_are_numbered_from_one() {
    let ids: Vec<_> = number(vec![plain("a"), plain("b")]).into_iter().map(|it| it.id).collect();
    assert_eq!(ids, ["1", "2"]);
}

#[test]
fn lines_are_read() {
    let go = |verb| Ok(StopCommand::Go(verb));
    assert_eq!(parse_command("continue\n"), go(DebugVerb::Continue));
    assert_eq!(parse_command("\n"), go(DebugVerb::Over));
    assert_eq!(parse_command(" i "), go(DebugVerb::Into));
    assert_eq!(parse_command("print response"), Ok(StopCommand::Print(Some("response".to_owned()))));
    assert_eq!(parse_command("b chat"), Ok(StopCommand::Break(plain("chat"))));
    assert_eq!(parse_command("delete 2"), Ok(StopCommand::Delete("2".to_owned())));
    assert_eq!(parse_command("set text=\"Hi\""), Ok(StopCommand::Set("text".to_owned(), "Hi".into())));
    assert!(parse_command("set text=Hi").is_err());
    assert_eq!(parse_command("skip"), go(DebugVerb::Skip));
    assert_eq!(parse_command("retry"), go(DebugVerb::Retry));
    assert_eq!(parse_command("force small"), Ok(StopCommand::Force("small".to_owned())));
    assert!(parse_command("force").is_err());
    let history = |command| Ok(StopCommand::History(command));
    assert_eq!(parse_command("history"), history(HistoryCommand::Show));
    assert_eq!(parse_command("history 2 Say no."), history(HistoryCommand::Reword(2, "Say no.".to_owned())));
    assert_eq!(parse_command("history remove 3-4"), history(HistoryCommand::Remove(3..=4)));
    assert!(parse_command("history 0 No.").is_err() && parse_command("history 2").is_err());
    assert!(parse_command("jump").is_err());
}

#[test]
fn trials_are_read_and_change_one_setting() {
    let Ok(StopCommand::Try(node, Some((path, value)))) = parse_command(r#"try way.cases.0.when="x""#) else {
        panic!("it is a trial");
    };
    assert_eq!(node, "way");
    let config = json!({ "cases": [{ "name": "a", "when": "y" }] }).as_object().unwrap().clone();
    let changed = with_setting(config.clone(), &path, value).unwrap();
    assert_eq!(json!(changed), json!({ "cases": [{ "name": "a", "when": "x" }] }));
    let path = |text: &str| text.split('.').map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(json!(with_setting(config.clone(), &path("cases"), json!(null)).unwrap()), json!({}));
    assert_eq!(with_setting(config.clone(), &path("a.b"), json!(1)).unwrap()["a"], json!({ "b": 1 }));
    for wrong in ["cases.1.when", "cases.x", "cases.0.name.more"] {
        assert!(with_setting(config.clone(), &path(wrong), json!(1)).is_err(), "{wrong}");
    }
    assert_eq!(parse_command("try way"), Ok(StopCommand::Try("way".to_owned(), None)));
    assert_eq!(parse_command("drop"), Ok(StopCommand::Drop(None)));
    for wrong in ["try", "try way=1", "try way.x=nothing"] {
        assert!(parse_command(wrong).is_err(), "{wrong}");
    }
}
