use super::*;

#[test]
fn every_served_command_is_described_and_references_resolve() {
    let document = document();
    for (name, role) in access::COMMANDS {
        let described = &document["paths"][format!("/commands/{name}")]["post"];
        assert_eq!(described["x-least-role"], json!(role), "{name}");
    }
    let text = document.to_string();
    for reference in text.split("\"$ref\":\"#").skip(1) {
        let pointer = reference.split('"').next().unwrap();
        assert!(document.pointer(pointer).is_some(), "{pointer}");
    }
}
