use super::*;

#[test]
fn parse_reads_quotes_exports_lines_and_comments() {
    let text = "\u{feff}A_KEY=plain-value # comment\nexport B_TOKEN='single quoted'\n# C_KEY=no\r\nD_SECRET=\"first\n\
        second \\\" third\"\nE=\nno assignment\nF_KEY = spaced\r\nG_KEY=\"not closed\nH_KEY=last";
    let found: Vec<_> = parse(text);
    let expected = [
        ("A_KEY", "plain-value"),
        ("B_TOKEN", "single quoted"),
        ("D_SECRET", "first\nsecond \\\" third"),
        ("E", ""),
        ("F_KEY", "spaced"),
        ("G_KEY", "\"not closed"),
        ("H_KEY", "last"),
    ];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(found, expected);
}

#[test]
fn names_and_lengths_tell_secrets() {
    let value = "0123456789ab";
    for name in [
        "OPENAI_API_KEY",
        "apikey",
        "GithubToken",
        "DB_PASSWORD",
        "PGPASSWORD",
        "client-secret",
        "MY_PASSPHRASE",
    ] {
        assert!(is_secret(name, value), "{name}");
        assert!(!is_secret(name, "0123456789a"), "{name} is too short");
    }
    for name in ["HOME", "KEYBOARD_LAYOUT", "TOKENIZERS_PARALLELISM", "EDITOR"] {
        assert!(!is_secret(name, value), "{name}");
    }
    assert!(
        !is_secret("TLS_KEY_FILE", "/etc/ssl/private/key.pem") && is_secret("TLS_KEY_FILE", "no-path-at-all")
    );
}

#[test]
fn folder_secrets_come_from_every_env_file_but_examples() {
    let folder = tempfile::tempdir().expect("folder");
    for (name, text) in [
        (".env", "A_KEY=from-dot-env-0"),
        (".env.local", "B_KEY=from-env-local"),
        (".envrc", "export C_KEY=from-the-envrc"),
        (".env.example", "D_KEY=your-key-goes-here"),
        ("notes", "E_KEY=not-an-env-file"),
    ] {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    std::fs::create_dir(folder.path().join(".env.d")).expect("made");
    let names: Vec<_> = folder_secrets(folder.path()).into_keys().collect();
    assert_eq!(names, ["A_KEY", "B_KEY", "C_KEY"]);
    assert!(folder_secrets(&folder.path().join("missing")).is_empty());
}
