//! From the name in a flow or of a person to a base with its folders.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use plait_core::error::Fault;
use plait_core::hash::content_hash;
use plait_llm::retriever::KnowledgeRef;

use super::KnowledgeBases;
use crate::codes;
use crate::project_files::ReadableFolder;
use crate::retrieval::base::Base;
use crate::retrieval::definition::{self, BaseDefinition, FLOWS_FOLDER, KNOWLEDGE_FOLDER};
use crate::retrieval::files::{Roots, to_fault};

/// A base and where its files are.
#[derive(Clone)]
pub(super) struct Target {
    pub(super) base: Arc<Base>,
    place: Place,
}

#[derive(Clone)]
enum Place {
    /// Folders and files of the person.
    Paths(Vec<String>),
    /// A folder of a flow's project.
    Folder { flow: PathBuf, folder: PathBuf },
}

impl KnowledgeBases {
    /// The base that is named. `flow_folder` is the folder of the flow that names it. Blocks. Faults `knowledge.*`.
    pub(super) fn target(&self, named: &KnowledgeRef, flow_folder: Option<&Path>) -> Result<Target, Fault> {
        match named {
            KnowledgeRef::Base(name) => self.named(name),
            KnowledgeRef::Folder(folder) => self.beside_flow(folder, flow_folder),
        }
    }

    pub(super) fn named(&self, name: &str) -> Result<Target, Fault> {
        let definition = definition::read(&self.0.options.home, name)?;
        let base = self.base_of(&definition)?;
        Ok(Target { base, place: Place::Paths(definition.paths) })
    }

    fn beside_flow(&self, folder: &str, flow_folder: Option<&Path>) -> Result<Target, Fault> {
        let flow = flow_folder.ok_or_else(|| {
            let message = format!("This flow is not saved, so there is no folder `{folder}` beside it.");
            Fault::new(codes::KNOWLEDGE_NO_FOLDER, message)
                .hint("Save the flow first. Then folders in its project can be searched.")
        })?;
        let folder = folder.trim();
        let folder = Path::new(folder.strip_prefix("./").unwrap_or(folder));
        let opened = self.open_beside(flow, folder)?;
        let hash = &content_hash(opened.path().as_os_str().as_encoded_bytes())[..32];
        let index = self.0.options.home.join(KNOWLEDGE_FOLDER).join(FLOWS_FOLDER).join(hash);
        // No name of a base has a slash.
        let base = self.base(index, || (format!("./{}", folder.display()), None));
        Ok(Target { base, place: Place::Folder { flow: flow.to_owned(), folder: folder.to_owned() } })
    }

    fn open_beside(&self, flow: &Path, folder: &Path) -> Result<ReadableFolder, Fault> {
        let open = || {
            let (project, place) = self.0.options.access.open_project(flow)?;
            project.open_folder(&place.join(folder))
        };
        open().map_err(|error| to_fault(folder, &error))
    }

    /// Opens the folders of a target. Blocks. Faults `knowledge.no_folder`, `knowledge.outside`, `knowledge.unsafe_folder`.
    pub(super) fn roots(&self, target: &Target) -> Result<Roots, Fault> {
        match &target.place {
            Place::Paths(paths) => Roots::open(&self.0.options.access, paths),
            Place::Folder { flow, folder } => self.open_beside(flow, folder).map(Roots::of_folder),
        }
    }

    /// The base of a definition. Other embeddings make another base.
    pub(super) fn base_of(&self, definition: &BaseDefinition) -> Result<Arc<Base>, Fault> {
        let folder = definition::folder_of(&self.0.options.home, &definition.name)?;
        Ok(self.base(folder, || (definition.name.clone(), definition.embeddings.clone())))
    }

    fn base(
        &self,
        folder: PathBuf,
        describe: impl FnOnce() -> (String, Option<definition::EmbeddingModel>),
    ) -> Arc<Base> {
        let (name, embeddings) = describe();
        let mut open = self.0.open.lock();
        if let Some(base) = open.get(&folder).filter(|base| base.embeddings == embeddings) {
            return Arc::clone(base);
        }
        let base = Arc::new(Base::new(name, folder.clone(), embeddings, !self.0.options.read_only));
        open.insert(folder, Arc::clone(&base));
        base
    }
}
