use super::*;

fn read(args: &[&str]) -> Result<Asked, String> {
    super::read(args.iter().map(OsString::from))
}

#[test]
fn a_flow_becomes_an_absolute_path() {
    let here = std::env::current_dir().unwrap();
    assert_eq!(read(&["a.flow.json"]), Ok(Asked::Window(Start::Flow(here.join("a.flow.json")))));
    assert_eq!(read(&[]), Ok(Asked::Window(Start::Empty)));
    assert_eq!(read(&["--example", "hello"]), Ok(Asked::Window(Start::Example("hello".to_owned()))));
}

#[test]
fn what_is_not_understood_is_refused() {
    assert!(read(&["--nonsense"]).unwrap_err().contains("--nonsense"));
    assert!(read(&["a", "b"]).unwrap_err().contains("one flow"));
    assert!(read(&["a", "--example", "hello"]).unwrap_err().contains("one flow"));
    assert!(read(&["--example"]).unwrap_err().contains("id"));
}
