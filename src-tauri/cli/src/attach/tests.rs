use super::*;
use crate::codes;

fn takers_of(args: &[&str], takers: &[Taker]) -> Result<Vec<(String, String)>, ErrorReply> {
    let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
    let found = FilesToAttach::among(&args, takers)?;
    let named = |(taker, file): (Taker, PathBuf)| (taker.node().to_string(), file.display().to_string());
    Ok(found.files.into_iter().map(named).collect())
}

fn pair(node: &str, file: &str) -> (String, String) {
    (node.to_owned(), file.to_owned())
}

#[test]
fn file_without_a_node_is_for_the_only_taker() {
    let only = [Taker::Input("chat".into())];
    assert_eq!(
        takers_of(&["a.png", "x=b.png"], &only).unwrap(),
        [pair("chat", "a.png"), pair("chat", "x=b.png")]
    );
}

#[test]
fn file_names_its_node_where_several_take_files() {
    let both = [Taker::Input("chat".into()), Taker::Answer("ask".into())];
    let found = takers_of(&["ask=a.png", "chat=b=c.png"], &both).unwrap();
    assert_eq!(found, [pair("ask", "a.png"), pair("chat", "b=c.png")]);
    let error = takers_of(&["a.png"], &both).unwrap_err();
    assert_eq!(error.code, codes::ATTACHMENT_NO_TAKER);
    assert!(error.message.contains("`chat`, `ask`"), "{}", error.message);
    assert_eq!(takers_of(&["a.png"], &[]).unwrap_err().code, codes::ATTACHMENT_NO_TAKER);
}
