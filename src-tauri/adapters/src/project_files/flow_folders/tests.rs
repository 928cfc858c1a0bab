use std::fs;

use super::*;

struct Project {
    root: tempfile::TempDir,
}

impl Project {
    /// `outside/secret`, and a project with `flows/` for the flow, `shared/` and `out/`.
    fn new() -> Self {
        let root = tempfile::tempdir().expect("folder");
        for folder in ["outside", "project/.git", "project/flows/notes", "project/shared", "project/out"] {
            fs::create_dir_all(root.path().join(folder)).expect("made");
        }
        fs::write(root.path().join("outside/secret"), "secret").expect("written");
        fs::write(root.path().join("project/shared/a.md"), "shared").expect("written");
        fs::write(root.path().join("project/flows/notes/b.md"), "note").expect("written");
        Self { root }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    fn folders(&self, declared: &[(&str, bool)]) -> Result<FlowFolders, AccessError> {
        let declared: Vec<_> =
            declared.iter().map(|&(path, write)| FolderAccess { path: path.to_owned(), write }).collect();
        FileAccess::default().open_flow_folders(&self.path("project/flows"), &declared)
    }

    fn read(&self, declared: &[(&str, bool)], path: &str) -> String {
        let read = || {
            let found = self.folders(declared)?.find(Path::new(path), false)?;
            let (file, _) = found.folder.open(&found.path)?;
            Ok(io::read_to_string(file)?)
        };
        read().unwrap_or_else(|error: AccessError| name_of(&error).to_owned())
    }

    fn write(&self, declared: &[(&str, bool)], path: &str) -> String {
        let write = || {
            let found = self.folders(declared)?.find(Path::new(path), true)?;
            found.folder.write(&found.path, "new")
        };
        write().map_or_else(|error: AccessError| name_of(&error).to_owned(), |()| "written".to_owned())
    }
}

fn name_of(error: &AccessError) -> &'static str {
    match error {
        AccessError::UnsafeFolder { .. } => "unsafe",
        AccessError::Outside => "outside",
        AccessError::ReadOnly => "read only",
        AccessError::Protected => "protected",
        AccessError::SecretFile => "secret",
        AccessError::HardLink => "hard link",
        AccessError::NotAFile(_) => "no file",
        AccessError::Io(_) => "io",
    }
}

#[test]
fn folder_of_the_flow_may_be_read_and_nothing_written_by_default() {
    let project = Project::new();
    assert_eq!(project.read(&[], "notes/b.md"), "note");
    assert_eq!(project.read(&[], "../shared/a.md"), "outside");
    assert_eq!(project.read(&[], "../../outside/secret"), "outside");
    assert_eq!(project.write(&[], "notes/c.md"), "read only");
    assert_eq!(project.write(&[], "../shared/a.md"), "outside");
}

#[test]
fn declared_folders_replace_the_folder_of_the_flow() {
    let project = Project::new();
    let declared = [("../shared", false), ("../out", true)];
    assert_eq!(project.read(&declared, "../shared/a.md"), "shared");
    assert_eq!(project.read(&declared, "notes/b.md"), "outside");
    assert_eq!(project.write(&declared, "../shared/a.md"), "read only");
    assert_eq!(project.write(&declared, "../out/deep/er/c.md"), "written");
    assert_eq!(fs::read_to_string(project.path("project/out/deep/er/c.md")).expect("text"), "new");
    assert_eq!(project.read(&declared, "../out/deep/er/c.md"), "new");
    // The deepest folder that allows it counts.
    let nested = [(".", false), ("notes", true)];
    assert_eq!(
        (project.write(&nested, "x.md"), project.write(&nested, "notes/x.md")),
        ("read only".into(), "written".into())
    );
}

#[test]
fn folders_outside_of_the_project_are_refused() {
    let project = Project::new();
    for path in ["../..", "../../outside", "/etc", "notes/../../../outside"] {
        assert!(matches!(project.folders(&[(path, true)]), Err(AccessError::Outside)), "{path}");
    }
}

#[test]
fn paths_do_not_lead_out_of_a_folder_that_is_written_to() {
    let project = Project::new();
    let declared = [("../out", true)];
    for path in ["../out/../../outside/x", "../outside/x", "../out/../shared/x", "/tmp/x", "x", ""] {
        assert_eq!(project.write(&declared, path), "outside", "{path}");
    }
    for path in [
        "../out/.bashrc",
        "../out/.git/hooks/pre-commit",
        "../out/a/.vscode/tasks.json",
        "../out/main.flow.json",
    ] {
        assert_eq!(project.write(&declared, path), "protected", "{path}");
    }
    assert_eq!(project.write(&declared, "../out/secrets/id_rsa"), "secret");
    assert_eq!(project.write(&declared, "../out"), "no file");
    assert_eq!(project.write(&[("..", true)], "../.git/hooks/pre-commit"), "protected");
    assert_eq!(project.write(&[("../.git", true)], "../.git/hooks/pre-commit"), "protected");
    assert!(!project.path("project/.git/hooks").exists());
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_out_of_a_folder() {
    use std::os::unix::fs::symlink;
    let project = Project::new();
    let declared = [("../out", true)];
    symlink(project.path("outside"), project.path("project/out/up")).expect("linked");
    symlink("../../outside/secret", project.path("project/out/file")).expect("linked");
    symlink("../.git", project.path("project/out/git")).expect("linked");
    symlink("../shared", project.path("project/out/sideways")).expect("linked");
    assert_eq!(project.read(&declared, "../out/up/secret"), "outside");
    assert_eq!(project.read(&declared, "../out/file"), "outside");
    for path in ["../out/up/x", "../out/git/hooks/x", "../out/sideways/a.md"] {
        let found = project.write(&declared, path);
        assert!(found == "outside" || found == "io", "{path}: {found}");
    }
    assert_eq!(project.write(&declared, "../out/file"), "no file");
    assert_eq!(fs::read_to_string(project.path("outside/secret")).expect("text"), "secret");
    assert_eq!(fs::read_to_string(project.path("project/shared/a.md")).expect("text"), "shared");
    // A declared folder that is itself a link.
    symlink("../outside", project.path("project/linked")).expect("linked");
    assert_eq!(project.read(&[("../linked", false)], "../linked/secret"), "outside");
    symlink(".git", project.path("project/hidden")).expect("linked");
    assert_eq!(project.write(&[("../hidden", true)], "../hidden/x"), "protected");
}

#[cfg(unix)]
#[test]
fn writing_replaces_a_hard_link_instead_of_the_other_file() {
    let project = Project::new();
    fs::hard_link(project.path("outside/secret"), project.path("project/out/twin")).expect("linked");
    assert_eq!(project.write(&[("../out", true)], "../out/twin"), "written");
    assert_eq!(fs::read_to_string(project.path("outside/secret")).expect("text"), "secret");
    let left: Vec<_> = fs::read_dir(project.path("project/out")).expect("listed").collect();
    assert_eq!(left.len(), 1, "no temporary file is left");
}
