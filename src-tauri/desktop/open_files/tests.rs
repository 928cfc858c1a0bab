use super::*;

#[test]
fn file_is_found_in_another_window_while_that_lives() {
    let files = OpenFiles::default();
    files.set("main", vec!["/a".to_owned(), "/b".to_owned()]);
    files.set("window-2", vec!["/c".to_owned()]);
    assert_eq!(files.in_another("window-2", "/b").as_deref(), Some("main"));
    assert_eq!(files.in_another("main", "/b"), None, "it is its own");
    assert_eq!(files.in_another("window-2", "/d"), None);
    files.set("main", vec!["/a".to_owned()]);
    assert_eq!(files.in_another("window-2", "/b"), None, "its tab was closed");
    files.forget("window-2");
    assert_eq!(files.in_another("main", "/c"), None, "its window is gone");
}
