//! The small documents of the data directory: settings, MCP servers, grants, users, drafts, proposals, templates, results of tests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use plait_core::error::Fault;
use plait_llm::grant::Grants;
use plait_llm::models::Correction;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::Store;
use crate::document_files::{GRANTS, MCP_LOG, MCP_SERVERS, MCP_TOOLS, SETTINGS};
use crate::{
    Draft, GuardedDocument, Proposal, RecentFlow, Template, UserList, checksums, documents, drafts,
    proposals, templates, test_results, users,
};

impl Store {
    /// The settings; empty at first. Fault `store.changed_outside` until a person accepts what something other than Plait wrote.
    pub fn settings(&self) -> Result<Map<String, Value>, Fault> {
        documents::get(&self.0, SETTINGS)
    }

    /// The settings in the data directory `home`, without opening it: another process may write it.
    pub fn settings_in(home: &Path) -> Result<Map<String, Value>, Fault> {
        documents::read(home, SETTINGS)
    }

    /// The settings, whether or not a person has accepted them.
    pub fn settings_as_found(&self) -> Result<Map<String, Value>, Fault> {
        documents::read_as_found(self.home(), SETTINGS)
    }

    /// The settings that `hash` identifies, whether or not a person has accepted them. Fault `store.changed_outside` if the file has
    /// another content.
    pub fn settings_with_hash(&self, hash: &str) -> Result<Map<String, Value>, Fault> {
        checksums::read_with_hash(self.home(), SETTINGS, hash)
    }

    /// Accepts a document that something other than Plait wrote. `hash` identifies the content that the person accepts, as the details
    /// of `store.changed_outside` have it. On disk when this returns. Faults `store.changed_outside` for another content,
    /// `store.corrupt` if it cannot be read.
    pub fn accept(&self, document: GuardedDocument, hash: &str) -> Result<(), Fault> {
        self.0.writer()?;
        checksums::accept(&self.0.shared, document, hash)
    }

    /// The names of the MCP servers in the data directory `home`, without opening it.
    pub fn mcp_server_names_in(home: &Path) -> Result<BTreeSet<String>, Fault> {
        let servers: Map<String, Value> = documents::read(home, MCP_SERVERS)?;
        Ok(servers.into_iter().map(|(name, _)| name).collect())
    }

    /// The MCP servers of the person; none at first.
    pub fn mcp_servers<T: DeserializeOwned + Default>(&self) -> Result<T, Fault> {
        documents::get(&self.0, MCP_SERVERS)
    }

    /// Replaces the MCP servers. On disk when this returns.
    pub fn put_mcp_servers(&self, servers: &impl Serialize) -> Result<(), Fault> {
        documents::put(&self.0, MCP_SERVERS, servers)
    }

    /// The last log of an MCP server; empty at first. `key` consists of letters and digits.
    pub fn mcp_log<T: DeserializeOwned + Default>(&self, key: &str) -> Result<T, Fault> {
        documents::get(&self.0, &format!("{MCP_LOG}{key}"))
    }

    /// Replaces the last log of an MCP server.
    pub fn put_mcp_log(&self, key: &str, lines: &impl Serialize) -> Result<(), Fault> {
        documents::put(&self.0, &format!("{MCP_LOG}{key}"), lines)
    }

    /// The tools of MCP servers that the person accepted.
    pub fn mcp_tools<T: DeserializeOwned + Default>(&self) -> Result<T, Fault> {
        documents::get(&self.0, MCP_TOOLS)
    }

    /// Replaces the accepted tools of MCP servers. On disk when this returns.
    pub fn put_mcp_tools(&self, tools: &impl Serialize) -> Result<(), Fault> {
        documents::put(&self.0, MCP_TOOLS, tools)
    }

    /// What the person allows flows to use, by the files of the flows; nothing at first.
    pub fn grants(&self) -> Result<BTreeMap<String, Grants>, Fault> {
        documents::get(&self.0, GRANTS)
    }

    /// Changes what is allowed to the flow in a file. On disk when this returns.
    pub fn change_grants(
        &self,
        path: &str,
        change: impl FnOnce(&Grants) -> Result<Grants, Fault>,
    ) -> Result<(), Fault> {
        documents::change_entry(&self.0, GRANTS, path, change)
    }

    /// Replaces the settings. On disk when this returns.
    pub fn put_settings(&self, settings: &Map<String, Value>) -> Result<(), Fault> {
        documents::put(&self.0, SETTINGS, settings)
    }

    /// The token calibration, by `provider/model`; empty at first.
    pub fn corrections(&self) -> Result<BTreeMap<String, Correction>, Fault> {
        documents::calibration(&self.0)
    }

    /// Replaces the token calibration. Does not wait for the disk: after a crash the latest samples are collected again.
    pub fn put_corrections(&self, corrections: &BTreeMap<String, Correction>) -> Result<(), Fault> {
        documents::put_calibration(&self.0, corrections)
    }

    /// Recently opened flows, the latest first.
    pub fn recent_flows(&self) -> Result<Vec<RecentFlow>, Fault> {
        documents::recent(&self.0)
    }

    /// Moves a flow to the front of the recent flows; keeps the latest 50.
    pub fn touch_recent(&self, flow: &RecentFlow) -> Result<(), Fault> {
        documents::change_recent(&self.0, &flow.path, Some(flow))
    }

    /// Removes a flow from the recent flows.
    pub fn forget_recent(&self, path: &str) -> Result<(), Fault> {
        documents::change_recent(&self.0, path, None)
    }

    /// The users; the default one at first.
    pub fn users(&self) -> Result<UserList, Fault> {
        users::get(&self.0)
    }

    /// Changes the users. On disk when this returns. Faults of `change`, `store.*`.
    pub fn change_users<T>(
        &self,
        change: impl FnOnce(&mut UserList) -> Result<T, Fault>,
    ) -> Result<(T, UserList), Fault> {
        self.0.writer()?;
        users::change(&self.0, change)
    }

    /// Stores a draft, replacing any with the same key. On disk when this returns.
    pub fn put_draft(&self, draft: &Draft) -> Result<(), Fault> {
        self.0.writer()?;
        drafts::put(&self.0.shared.home, draft)
    }

    /// All drafts, the latest first.
    pub fn drafts(&self) -> Result<Vec<Draft>, Fault> {
        drafts::all(&self.0.shared.home)
    }

    /// Removes a draft; no fault if there is none.
    pub fn remove_draft(&self, key: &str) -> Result<(), Fault> {
        self.0.writer()?;
        drafts::remove(&self.0.shared.home, key)
    }

    /// Stores an edit that was proposed. On disk when this returns. Fault `proposal.too_many`.
    pub fn put_proposal(&self, proposal: &Proposal) -> Result<(), Fault> {
        self.0.writer()?;
        proposals::put(&self.0.shared.home, proposal)
    }

    /// All proposed edits, the latest first.
    pub fn proposals(&self) -> Result<Vec<Proposal>, Fault> {
        proposals::all(&self.0.shared.home)
    }

    /// Removes a proposed edit; no fault if there is none.
    pub fn remove_proposal(&self, id: &str) -> Result<(), Fault> {
        self.0.writer()?;
        proposals::remove(&self.0.shared.home, id)
    }

    /// Stores the text of a flow as a template, in place of that with the same id. On disk when this returns.
    pub fn put_template(&self, id: &str, text: &str) -> Result<(), Fault> {
        self.0.writer()?;
        templates::put(&self.0.shared.home, id, text)
    }

    /// All templates, by their ids.
    pub fn templates(&self) -> Result<Vec<Template>, Fault> {
        templates::all(&self.0.shared.home)
    }

    /// The text of a template. Fault `template.unknown`.
    pub fn template(&self, id: &str) -> Result<String, Fault> {
        templates::text(&self.0.shared.home, id)
    }

    /// Removes a template. Fault `template.unknown`.
    pub fn remove_template(&self, id: &str) -> Result<(), Fault> {
        self.0.writer()?;
        templates::remove(&self.0.shared.home, id)
    }

    /// Adds the result of a run of a test. A suite is named by its path.
    pub fn add_test_result(&self, suite: &str, result: &Value) -> Result<(), Fault> {
        self.0.writer()?;
        test_results::add(&self.0.shared.home, suite, result)
    }

    /// The results of a suite's tests, in the order in which they were added.
    pub fn test_results(&self, suite: &str) -> Result<Vec<Value>, Fault> {
        test_results::all(&self.0.shared.home, suite)
    }

    /// Puts these in place of the results of a suite's tests.
    pub fn put_test_results(&self, suite: &str, results: &[Value]) -> Result<(), Fault> {
        self.0.writer()?;
        test_results::put(&self.0.shared.home, suite, results)
    }

    /// Adds the grade that a person gave to a result of a suite's tests.
    pub fn add_grade(&self, suite: &str, grade: &Value) -> Result<(), Fault> {
        self.0.writer()?;
        test_results::add_grade(&self.0.shared.home, suite, grade)
    }

    /// The grades of results of a suite's tests, in the order in which they were given.
    pub fn grades(&self, suite: &str) -> Result<Vec<Value>, Fault> {
        test_results::grades(&self.0.shared.home, suite)
    }
}
