//! Reads the small documents: flows as they ran, drafts, and every document that is one file of the data directory.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use plait_core::error::Fault;
use plait_llm::grant::Grants;
use plait_llm::models::Correction;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::Report;
use crate::checksums::{self, CHECKSUMS, Checksums, GUARDED};
use crate::codes;
use crate::document_files::{GRANTS, MCP_SERVERS, MCP_TOOLS, SETTINGS};
use crate::store_core::StoreCore;
use crate::{
    ForgottenReplies, RecentFlow, UserList, document_files, documents, drafts, forgotten_replies, proposals,
};

/// A document that the data directory has one of.
pub(super) struct Document {
    pub(super) name: &'static str,
    /// Reads it. The error describes the damage.
    pub(super) read: fn(&StoreCore, &str) -> Result<(), Fault>,
    /// What it means to go on without it.
    pub(super) without: &'static str,
}

pub(super) const DOCUMENTS: [Document; 9] = [
    Document {
        name: CHECKSUMS,
        read: read::<Checksums>,
        without: "Goes on with settings, users, grants, MCP servers and their tools as they are: look at them if you did not change them.",
    },
    Document {
        name: SETTINGS,
        read: read::<Map<String, Value>>,
        without: "Goes on with the default settings: enter providers, limits and allowed hosts again. Keys are kept.",
    },
    Document {
        name: "recent",
        read: read::<Vec<RecentFlow>>,
        without: "Goes on without the list of recent flows.",
    },
    Document {
        name: forgotten_replies::NAME,
        read: read::<ForgottenReplies>,
        without: "Goes on as if no reply of a model was ever forgotten.",
    },
    Document {
        name: "calibration",
        read: read::<BTreeMap<String, Correction>>,
        without: "Goes on with uncorrected token estimates.",
    },
    Document {
        name: "users",
        read: read::<UserList>,
        without: "Goes on with the user `local` alone. Add the others again by their names: their runs, conversations and \
            memories are kept.",
    },
    Document {
        name: GRANTS,
        read: read::<BTreeMap<String, Grants>>,
        without: "Goes on without grants: each flow asks again for what it needs, and what was denied is no longer denied.",
    },
    Document {
        name: MCP_SERVERS,
        read: read::<Map<String, Value>>,
        without: "Goes on without MCP servers. Add them again.",
    },
    Document {
        name: MCP_TOOLS,
        read: read::<Map<String, Value>>,
        without: "Goes on without accepted tools: those that an MCP server offers when it is next connected are accepted. Look \
            at them with `plait mcp tools NAME`.",
    },
];

pub(super) fn check(core: &StoreCore, report: &mut Report) {
    let home = core.shared.home.clone();
    let mut users: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (_, entry) in core.shared.index().newest_first() {
        users.entry(entry.record.flow.hash.clone()).or_default().push(entry.record.run.to_string());
    }
    for (hash, runs) in users {
        if let Err(fault) = documents::flow(core, &hash) {
            let path = home.join("flows").join(&hash).with_extension("json");
            let runs = runs.join(", ");
            report.lost(&path, format!("{} These runs used it and can't be resumed: {runs}.", fault.message));
        }
    }
    for document in &DOCUMENTS {
        if let Err(fault) = (document.read)(core, document.name) {
            report.lost(&documents::path(core, document.name), fault.message);
        }
    }
    for name in GUARDED {
        let path = documents::path(core, name);
        let Ok(bytes) = document_files::bytes_of(&path, name) else { continue };
        match checksums::verify(&home, name, bytes.as_deref()) {
            Err(fault) if fault.code == codes::STORE_CHANGED_OUTSIDE => report.note(&path, with_hint(&fault)),
            _ => {}
        }
    }
    let unreadable = |folder: &str, is_readable: fn(&Path) -> bool| -> Vec<PathBuf> {
        let items = fs::read_dir(home.join(folder)).into_iter().flatten().flatten().map(|item| item.path());
        items
            .filter(|path| path.extension().is_some_and(|ending| ending == "json") && !is_readable(path))
            .collect()
    };
    for path in unreadable("drafts", drafts::is_readable) {
        report.lost(&path, "The draft can't be read.");
    }
    for path in unreadable("proposals", proposals::is_readable) {
        report.lost(&path, "The proposed edit can't be read.");
    }
}

/// What a file that was changed outside of Plait is reported with.
pub(super) fn with_hint(fault: &Fault) -> String {
    format!("{} If you changed it, accept it: plait doctor --accept-edits", fault.message)
}

fn read<T: DeserializeOwned + Default>(core: &StoreCore, name: &str) -> Result<(), Fault> {
    documents::read_as_found::<T>(&core.shared.home, name).map(drop)
}
