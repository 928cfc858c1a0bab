//! The error codes of runs in a database. Those of the crates below are here as well.

pub use plait_store::codes::*;

plait_core::error_codes! {
    "Hosts" {
        HOST_DATABASE = "host.database",
            "The database of the host cannot be reached, or refuses what the host asks of it.",
            "Check `--database` and whether PostgreSQL runs. Runs go on when it is back; nothing that was stored is lost.";
        HOST_DATABASE_NEWER = "host.database_newer",
            "A newer version of Plait has changed the tables of the database.",
            "Use that version for the host and all of its workers.";
        HOST_TENANT_NAME = "host.tenant_name",
            "The name cannot be that of a tenant.",
            "Use small letters, digits, `-` and `_`, at most 40 of them, and begin with a letter or a digit.";
    }
}
