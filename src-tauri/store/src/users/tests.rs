use super::UserList;
use plait_core::user::UserName;

#[test]
fn users_are_added_switched_and_removed() {
    let code = |result: Result<_, plait_core::error::Fault>| {
        result.map(|_: plait_core::user::UserName| ()).unwrap_err().code.as_str().to_owned()
    };
    let mut users = UserList::default();
    users.add("ada").unwrap();
    assert_eq!(code(users.add("Ada ")), "user.exists");
    assert_eq!(code(users.add(" ")), "user.bad_name");
    assert_eq!(code(users.switch("eve")), "user.unknown");
    assert_eq!(code(users.remove("local")), "user.current");
    users.switch("ada").unwrap();
    users.remove("local").unwrap();
    assert_eq!((users.current.as_str(), users.names.len()), ("ada", 1));
    assert_eq!(code(users.remove("ada")), "user.current", "one is always left");
}

#[test]
fn current_user_is_one_of_the_names_whatever_was_stored() {
    let users: UserList = serde_json::from_str(r#"{"current":"ada","names":["eve","eve"]}"#).unwrap();
    let users = users.consistent();
    assert_eq!(users.names.iter().map(UserName::as_str).collect::<Vec<_>>(), ["ada", "eve"]);
    assert_eq!(serde_json::from_str::<UserList>("{}").unwrap(), UserList::default());
}
