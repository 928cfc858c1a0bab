use super::*;

#[test]
fn install_commands_match_each_package_manager() {
    let written = |manager: Manager| {
        as_root(manager.commands(&["a", "b"]), manager.needs_root())
            .iter()
            .map(|words| words.join(" "))
            .collect::<Vec<_>>()
            .join(" && ")
    };
    assert_eq!(
        written(Manager::Apt),
        "sudo apt-get update && sudo apt-get install --yes --no-install-recommends a b"
    );
    assert_eq!(written(Manager::Brew), "brew install a b");
    assert_eq!(written(Manager::Pacman), "sudo pacman --sync --needed --noconfirm a b");
}
