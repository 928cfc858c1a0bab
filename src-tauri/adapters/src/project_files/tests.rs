use std::fs;

use super::*;

/// `home/project/.git`, `home/project/flows`, `home/data` with a file in each.
struct Tree {
    root: tempfile::TempDir,
    access: FileAccess,
}

impl Tree {
    fn new() -> Self {
        let root = tempfile::tempdir().expect("folder");
        let path = root.path();
        for folder in ["home/project/.git", "home/project/flows/notes", "home/data/flows", "elsewhere"] {
            fs::create_dir_all(path.join(folder)).expect("made");
        }
        for file in
            ["home/project/shared", "home/project/flows/notes/plan", "home/data/flows/x", "elsewhere/secret"]
        {
            fs::write(path.join(file), "content").expect("written");
        }
        let access = FileAccess::new(Some(&path.join("home")), Some(&path.join("home/data")));
        Self { root, access }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    /// The name of what opening a file of the flow's folder gives.
    fn open(&self, file: &str) -> String {
        outcome(
            self.access
                .open_folder(&self.path("home/project/flows"))
                .and_then(|folder| folder.open(Path::new(file))),
        )
    }
}

fn outcome<T>(result: Result<T, AccessError>) -> String {
    match result {
        Ok(_) => "opened".to_owned(),
        Err(AccessError::Io(error)) => format!("{:?}", error.kind()),
        Err(error) => format!("{error:?}").split([' ', '(']).next().unwrap_or_default().to_owned(),
    }
}

#[test]
fn folders_that_hold_everything_are_refused() {
    let tree = Tree::new();
    let open = |path: &Path| outcome(tree.access.open_folder(path));
    assert_eq!(open(&tree.path("home/project")), "opened");
    for folder in ["home", "", "home/data", "home/data/flows", "home/project/../../home"] {
        assert_eq!(open(&tree.path(folder)), "UnsafeFolder", "{folder}");
    }
    assert_eq!(open(Path::new("/")), "UnsafeFolder");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(tree.path("home"), tree.path("link")).expect("linked");
        assert_eq!(open(&tree.path("link")), "UnsafeFolder");
    }
}

#[test]
fn project_is_the_nearest_folder_with_git_but_never_a_home() {
    let tree = Tree::new();
    let project = |folder: &str| {
        let (project, place) = tree.access.open_project(&tree.path(folder)).expect("opened");
        let root = tree.root.path().canonicalize().expect("there");
        (project.path().strip_prefix(root).expect("inside").to_owned(), place)
    };
    assert_eq!(project("home/project/flows"), ("home/project".into(), "flows".into()));
    fs::create_dir(tree.path("home/.git")).expect("made");
    fs::create_dir(tree.path("home/other")).expect("made");
    assert_eq!(project("home/other"), ("home/other".into(), "".into()), "not the home directory");
    let folders = tree.access.env_folders(&tree.path("home/project/flows/notes"));
    assert_eq!(folders.len(), 3, "{folders:?}");
}

#[test]
fn open_stays_in_the_folder() {
    let tree = Tree::new();
    for file in ["notes/plan", "./notes/plan", "notes/../notes/plan"] {
        assert_eq!(tree.open(file), "opened", "{file}");
    }
    let absolute = tree.path("home/project/flows/notes/plan");
    for file in ["../shared", "notes/../../shared", "/etc/passwd", absolute.to_str().expect("text")] {
        assert_eq!(tree.open(file), "Outside", "{file}");
    }
    assert_eq!(tree.open("notes"), "NotAFile");
    assert_eq!(tree.open("missing"), "NotFound");
}

#[test]
fn files_that_hold_secrets_by_name_are_refused() {
    let tree = Tree::new();
    let folder = tree.path("home/project/flows");
    for file in [
        ".env",
        ".env.local",
        "prod.env",
        ".ENV",
        ".envrc",
        "server.pem",
        "ID_RSA",
        "id_ed25519",
        ".netrc",
        ".npmrc",
        "credentials",
        "credentials.json",
        "keys.sealed",
        "keys.secret",
        ".git/config",
        ".aws/config",
        ".ssh/known_hosts",
        "terraform.tfstate",
        ".bash_history",
        ".e\u{200c}nv",
        ".env.",
        "a/.kube/config",
    ] {
        fs::create_dir_all(folder.join(file).parent().expect("a folder")).expect("made");
        let _ = fs::write(folder.join(file), "content");
        assert_eq!(tree.open(file), "SecretFile", "{file}");
    }
    for file in ["id_rsa.pub", ".env.example", "environment.md", "keyboard.md", "notes.key.md", ".gitignore"]
    {
        fs::write(folder.join(file), "content").expect("written");
        assert_eq!(tree.open(file), "opened", "{file}");
    }
}

#[cfg(unix)]
#[test]
fn links_lead_to_no_secret_and_out_of_no_folder() {
    use std::os::unix::fs::symlink;
    let tree = Tree::new();
    let folder = tree.path("home/project/flows");
    symlink("notes/plan", folder.join("inner")).expect("linked");
    assert_eq!(tree.open("inner"), "opened");
    symlink("../../../elsewhere/secret", folder.join("out")).expect("linked");
    symlink(tree.path("elsewhere"), folder.join("up")).expect("linked");
    assert_eq!((tree.open("out"), tree.open("up/secret")), ("Outside".into(), "Outside".into()));
    fs::write(folder.join(".env"), "content").expect("written");
    symlink(".env", folder.join("harmless")).expect("linked");
    fs::create_dir(folder.join(".ssh")).expect("made");
    fs::write(folder.join(".ssh/config"), "content").expect("written");
    symlink(".ssh", folder.join("settings")).expect("linked");
    assert_eq!(
        (tree.open("harmless"), tree.open("settings/config")),
        ("SecretFile".into(), "SecretFile".into())
    );
    fs::hard_link(tree.path("elsewhere/secret"), folder.join("hard")).expect("linked");
    assert_eq!(tree.open("hard"), "HardLink");
    // The data directory inside of a project.
    let access = FileAccess::new(None, Some(&folder.join("notes")));
    let opened = access.open_folder(&folder).and_then(|folder| folder.open(Path::new("notes/plan")));
    assert_eq!(outcome(opened), "SecretFile");
}

#[cfg(unix)]
#[test]
fn pipes_are_refused_without_waiting_for_a_writer() {
    let tree = Tree::new();
    let pipe = tree.path("home/project/flows/pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("started");
    assert!(made.success());
    assert_eq!(tree.open("pipe"), "NotAFile");
}

#[test]
fn confined_projects_do_not_reach_each_other() {
    let tree = Tree::new();
    let [one, two] = ["one", "two"].map(|name| {
        let folder = tree.path("elsewhere/hosts").join(name);
        fs::create_dir_all(folder.join("flows")).expect("made");
        folder.canonicalize().expect("there")
    });
    // Around both.
    fs::create_dir(tree.path("elsewhere/hosts/.git")).expect("made");
    let project = |access: &FileAccess, folder: &Path| {
        access.open_project(folder).map(|(project, _)| project.path().to_owned()).expect("opened")
    };
    let anybody = FileAccess::new(None, None);
    assert_eq!(project(&anybody, &one.join("flows")), one.parent().expect("a folder"));
    let host = FileAccess { confined: vec![one.clone(), two.clone()], ..anybody };
    assert_eq!(project(&host, &one.join("flows")), one);
    assert_eq!(project(&host, &two), two);
    assert_eq!(
        project(&host, &tree.path("elsewhere")),
        tree.path("elsewhere").canonicalize().expect("there")
    );
    fs::create_dir(two.join("flows/.git")).expect("made");
    assert_eq!(project(&host, &two.join("flows")), two.join("flows"));

    let (flow, secret) = (one.join("flows/a.json"), two.join("flows/b.json"));
    fs::write(&secret, "content").expect("written");
    assert!(leads_within(&host.confined, &flow, &one.join("b.json")));
    assert!(!leads_within(&host.confined, &flow, &secret));
    assert!(!leads_within(&host.confined, &flow, &one.join("flows/../../two/flows/b.json")));
    assert!(leads_within(&[], &flow, &secret));
}
