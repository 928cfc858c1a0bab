//! The commands, one file per domain, and the table of them all.

pub mod app;
pub mod autosave;
pub mod conversations;
pub mod dialog;
pub mod file;
pub mod flow;
pub mod nodes;
pub mod provider;
pub mod recent;
pub mod run;
pub mod runs;
pub mod settings;
pub mod tokens;
pub mod usage;

crate::command::commands![
    app::GetAppInfo,
    nodes::ListNodes,
    flow::CheckFlow,
    file::OpenFlow,
    file::SaveFlow,
    flow::NewFlow,
    flow::ListExamples,
    flow::OpenExample,
    recent::ListRecent,
    recent::ForgetFlow,
    autosave::PutAutosave,
    autosave::ListAutosaves,
    autosave::DropAutosave,
    run::StartRun,
    run::AnswerRun,
    run::EndPause,
    run::CancelRun,
    run::ResumeRun,
    runs::ListRuns,
    runs::ShowRun,
    runs::RemoveRun,
    conversations::ListConversations,
    conversations::GetConversation,
    conversations::OpenConversation,
    conversations::ListMessages,
    conversations::RenameConversation,
    conversations::ForkConversation,
    conversations::DeleteConversation,
    conversations::ExportConversation,
    settings::GetSettings,
    settings::SetSettings,
    provider::GetProviderStatus,
    provider::SetKey,
    provider::RemoveKey,
    provider::ListModels,
    provider::TestProvider,
    provider::DetectProviders,
    tokens::CountTokens,
    usage::UsageByDay,
    dialog::OpenDialog,
    dialog::SaveDialog,
];
