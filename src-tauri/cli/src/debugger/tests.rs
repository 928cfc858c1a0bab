use plait_journal::{Breakpoint, DebugVerb};

use serde_json::json;

use super::{HistoryCommand, StopCommand, find_breakpoint, parse_command, with_setting};

#[test]
fn breakpoints_are_named_by_number_or_as_they_are_written() {
    let of = |id: &str, node: &str| Breakpoint {
        id: id.to_owned(),
        node: Some(node.into()),
        ..Breakpoint::default()
    };
    let there = [of("chat:before", "chat"), of("1", "judge")];
    assert_eq!(find_breakpoint(&there, "chat:before"), "chat:before");
    assert_eq!(find_breakpoint(&there, "judge:before"), "1");
    assert_eq!(find_breakpoint(&there, "2"), "1");
    // Of a run of an earlier version.
    assert_eq!(find_breakpoint(&there, "1"), "1");
    assert_eq!(find_breakpoint(&there, "3"), "3");
}

#[test]
fn lines_are_read() {
    let go = |verb| Ok(StopCommand::Go(verb));
    assert_eq!(parse_command("continue\n"), go(DebugVerb::Continue));
    assert_eq!(parse_command("continue all"), Ok(StopCommand::ContinueAll));
    assert!(parse_command("continue al").is_err(), "it is not taken for another command");
    assert_eq!(parse_command("stops"), Ok(StopCommand::Stops));
    assert_eq!(parse_command("at 12"), Ok(StopCommand::At(12)));
    assert!(parse_command("at").is_err() && parse_command("at b").is_err());
    assert_eq!(parse_command("\n"), go(DebugVerb::Over));
    assert_eq!(parse_command(" i "), go(DebugVerb::Into));
    assert_eq!(parse_command("print response"), Ok(StopCommand::Print(Some("response".to_owned()))));
    assert_eq!(parse_command("b chat"), Ok(StopCommand::Break("chat".parse().unwrap())));
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
    assert!(parse_command("history remove 2-1").is_err());
    assert!(parse_command("history 0 No.").is_err() && parse_command("history 2").is_err());
    assert!(parse_command("jump").is_err());
    for other_node in
        ["skip draft", "retry draft", "step draft", "s 2", "into x", "out x", "all x", "stops 3", "quit x"]
    {
        assert!(parse_command(other_node).is_err(), "{other_node} is not done to the node that is held");
    }
    assert!(parse_command("delete").is_err());
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
    assert_eq!(parse_command("accept ask"), Ok(StopCommand::Accept(Some("ask".to_owned()))));
    for wrong in ["try", "try way=1", "try way.x=nothing"] {
        assert!(parse_command(wrong).is_err(), "{wrong}");
    }
}
