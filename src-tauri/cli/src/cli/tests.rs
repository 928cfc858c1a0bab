use super::*;
use clap::CommandFactory as _;

#[test]
fn command_line_definition_is_consistent() {
    Cli::command().debug_assert();
}
