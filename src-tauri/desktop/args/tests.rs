use super::*;

fn parse(args: &[&str]) -> Result<StartupAction, String> {
    super::parse(args.iter().map(OsString::from))
}

#[test]
fn arguments_select_the_flow_to_open() {
    let folder = std::env::current_dir().unwrap();
    let open = |flow| Ok(StartupAction::OpenWindow(flow));
    assert_eq!(parse(&["a.flow.json"]), open(InitialFlow::File(folder.join("a.flow.json"))));
    assert_eq!(parse(&[]), open(InitialFlow::None));
    assert_eq!(parse(&["--example", "hello"]), open(InitialFlow::Example("hello".to_owned())));
}

#[test]
fn invalid_arguments_are_rejected() {
    assert!(parse(&["--nonsense"]).unwrap_err().contains("--nonsense"));
    assert!(parse(&["a", "b"]).unwrap_err().contains("one flow"));
    assert!(parse(&["a", "--example", "hello"]).unwrap_err().contains("one flow"));
    assert!(parse(&["--example"]).unwrap_err().contains("id"));
}
