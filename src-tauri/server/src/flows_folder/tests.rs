use plait_api::command::{Command, CommandVisitor};
use plait_api::visit_commands;
use serde_json::json;
use ts_rs::Config;

use super::*;

#[test]
fn files_outside_of_the_folder_are_refused() {
    let home = tempfile::tempdir().unwrap();
    let folder = FlowsFolder::open(&home.path().join("flows"), home.path()).unwrap();
    assert_eq!(FlowsFolder::open(home.path(), &home.path().join("flows")).err().unwrap().code, "host.path");
    let inside = folder.resolve("team/chat.flow.json").unwrap();
    assert_eq!(folder.resolve(&inside).unwrap(), inside);
    let keys = home.path().join("keys.json").display().to_string();
    for outside in ["../keys.json", "a/../../keys.json", "/etc/passwd", &keys, "./../keys.json"] {
        assert_eq!(folder.resolve(outside).unwrap_err().code, "host.path", "{outside}");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(home.path(), folder.0.join("link")).unwrap();
        std::os::unix::fs::symlink("/nowhere", folder.0.join("dangling")).unwrap();
        for link in ["link/keys.json", "link", "dangling", "dangling/x"] {
            assert_eq!(folder.resolve(link).unwrap_err().code, "host.path", "{link}");
        }
    }
    let mut args = json!({ "flow": { "name": "x", "path": "../y" } });
    assert_eq!(folder.resolve_arguments("any.command", &mut args).unwrap_err().code, "host.path");
    let mut args = json!({ "path": "a.flow.yaml", "source": "/b.flow.yaml" });
    assert_eq!(folder.resolve_arguments("flow.save", &mut args).unwrap_err().code, "host.path");
    // The name of a passage.
    folder.resolve_arguments("knowledge.source", &mut args).unwrap();
    let mut args = json!({ "paths": ["a", "/b"] });
    assert_eq!(folder.resolve_arguments("any.command", &mut args).unwrap_err().code, "host.path");
}

/// Arguments that sound as if they named a file. That of `knowledge.source` is a name in the index of a base, or a file beside a flow
/// that is in the folder.
const NOT_FILES: [(&str, &str); 1] = [("knowledge.source", "source")];

struct Fields(Vec<String>);

impl CommandVisitor for Fields {
    fn visit<C: Command>(&mut self) {
        let config = Config::default();
        let fields = C::inline(&config);
        for part in fields.split([',', '{', '}', ';']) {
            let Some((name, of)) = part.rsplit_once(':') else { continue };
            let name = name.rsplit([' ', '/', '*', '\n']).next().unwrap_or_default().trim_end_matches('?');
            let names_file =
                ["path", "file", "folder", "log", "dir", "recording", "source"].iter().any(|word| {
                    name.to_lowercase().ends_with(word) || name.to_lowercase().ends_with(&format!("{word}s"))
                });
            if names_file
                && of.contains("string")
                && !is_file_argument(C::NAME, name)
                && !NOT_FILES.contains(&(C::NAME, name))
            {
                self.0.push(format!("{}: {name}", C::NAME));
            }
        }
    }
}

#[test]
fn every_argument_that_names_a_file_is_known() {
    let mut fields = Fields(Vec::new());
    visit_commands(&mut fields);
    assert_eq!(fields.0, Vec::<String>::new());
}
