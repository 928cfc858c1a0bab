//! The table of all commands. Dispatch by name and the TypeScript bindings are made from it.
use serde_json::Value;

use crate::codes;
use crate::command::{Command, CommandVisitor};
use crate::{
    ErrorReply, Plait, app, attachments, config, conversations, dialogs, flows, grants, hosts, images,
    knowledge, lens, mcp, memories, nodes, proposals, providers, runs, settings, suites, tokens, tools,
    usage, users,
};

macro_rules! commands {
    ($($command:ty),* $(,)?) => {
        /// Executes the command of that name. `command.unknown` when there is none, `command.arguments` when the arguments
        /// do not have its shape; otherwise the errors of the command itself.
        pub async fn dispatch(app: &Plait, name: &str, args: Value) -> Result<Value, ErrorReply> {
            match name {
                // Boxed, so that no caller carries the state of the largest one.
                $(<$command>::NAME => Box::pin(execute::<$command>(app, args)).await,)*
                _ => Err(ErrorReply::new(codes::COMMAND_UNKNOWN, format!("There is no command `{name}`."))),
            }
        }

        pub fn visit_commands(visitor: &mut impl CommandVisitor) {
            $(visitor.visit::<$command>();)*
        }
    };
}

commands![
    app::GetAppInfo,
    app::AcceptDocument,
    attachments::AddAttachment,
    attachments::GetAttachment,
    nodes::ListNodes,
    flows::CheckFlow,
    flows::DiffFlows,
    flows::OpenFlow,
    flows::ReadFlow,
    flows::ListNearbyFlows,
    flows::SaveFlow,
    flows::NewFlow,
    flows::ImportFlow,
    flows::ListExamples,
    flows::OpenExample,
    flows::ListRecent,
    flows::ForgetFlow,
    flows::ListTemplates,
    flows::OpenTemplate,
    flows::SaveTemplate,
    flows::RenameTemplate,
    flows::RemoveTemplate,
    flows::PutAutosave,
    flows::ListAutosaves,
    flows::DropAutosave,
    proposals::ProposeFlow,
    proposals::ListProposals,
    proposals::ShowProposal,
    proposals::AcceptProposal,
    proposals::DropProposal,
    runs::ForecastFlow,
    runs::StartRun,
    runs::CompareImport,
    runs::RerunRun,
    runs::BillRerun,
    runs::BeginInquiry,
    runs::ContinueInquiry,
    runs::RetryRun,
    runs::ExportRecording,
    runs::ReadRecording,
    runs::KeepProgram,
    runs::ImportTraces,
    runs::DraftProgram,
    runs::GetExchanges,
    runs::CheckWaiting,
    runs::MoveRun,
    runs::AnswerRun,
    runs::EndPause,
    runs::PinTurn,
    runs::SetBreakpoints,
    runs::CheckBreakpoint,
    runs::PutBreakpoint,
    runs::DropBreakpoint,
    runs::StopRun,
    runs::FindHeld,
    runs::ChangeValue,
    runs::EditHistory,
    runs::ForceWay,
    runs::TryConfig,
    runs::DropTrials,
    runs::AcceptTrials,
    runs::ShowNodeConfig,
    runs::HeldHistory,
    runs::GoOn,
    runs::ContinueAll,
    runs::CancelRun,
    runs::ResumeRun,
    runs::FindRuns,
    runs::ListRuns,
    runs::ResolveRun,
    runs::ShowRun,
    runs::ForgetReplies,
    runs::RemoveRun,
    runs::ListVersions,
    suites::FindSuites,
    suites::OpenSuite,
    suites::BillSuite,
    suites::RunTest,
    suites::ForgetResults,
    suites::AddTest,
    suites::DebugTest,
    suites::TabulateResults,
    suites::ExportResults,
    suites::GradeResult,
    conversations::ListConversations,
    conversations::ResolveConversation,
    conversations::GetConversation,
    conversations::OpenConversation,
    conversations::ListMessages,
    conversations::RenameConversation,
    conversations::ForkConversation,
    conversations::KeepFork,
    conversations::DeleteConversation,
    conversations::ExportConversation,
    lens::ListPrompts,
    lens::ShowPrompts,
    lens::TraceRun,
    lens::ListTurns,
    lens::SearchPrompts,
    lens::CompareRuns,
    lens::CompareManyRuns,
    lens::FollowText,
    lens::EvaluateWatches,
    lens::GetCallRequest,
    lens::ExportSpans,
    knowledge::ListKnowledge,
    knowledge::AddKnowledge,
    knowledge::RemoveKnowledge,
    knowledge::ReindexKnowledge,
    knowledge::CancelKnowledge,
    knowledge::SearchKnowledge,
    knowledge::GetKnowledgeSource,
    memories::ListMemories,
    memories::ResolveMemory,
    memories::AddMemory,
    memories::EditMemory,
    memories::EraseMemories,
    memories::ExportMemories,
    users::ListUsers,
    users::AddUser,
    users::SwitchUser,
    users::RemoveUser,
    grants::ShowGrants,
    grants::SetGrants,
    grants::RevokeGrants,
    hosts::ListHosts,
    hosts::AddHost,
    hosts::RemoveHost,
    hosts::PreviewPublication,
    hosts::PublishOnHost,
    hosts::RunPublished,
    hosts::PullRun,
    settings::GetSettings,
    settings::SetSettings,
    settings::ChangeSettings,
    settings::AcceptSettings,
    config::ExplainConfig,
    config::SetConfig,
    providers::GetProviderStatus,
    providers::SetKey,
    providers::RemoveKey,
    providers::ListModels,
    providers::TestProvider,
    providers::DetectProviders,
    providers::ListPresets,
    mcp::ListMcpServers,
    mcp::AddMcpServers,
    mcp::RemoveMcpServer,
    mcp::ConnectMcpServer,
    mcp::DisconnectMcpServer,
    mcp::AcceptMcpTools,
    mcp::ReadMcpResource,
    mcp::GetMcpLog,
    tokens::CountTokens,
    tools::ListTools,
    usage::UsageByDay,
    dialogs::OpenDialog,
    dialogs::FolderDialog,
    dialogs::SaveDialog,
    images::SaveImage,
];

/// Reads the arguments, executes the command, and writes the reply.
async fn execute<C: Command>(app: &Plait, args: Value) -> Result<Value, ErrorReply>
where
    Plait: AsRef<C::Service>,
{
    // A command without arguments may be called without any.
    let args = if args.is_null() { Value::Object(serde_json::Map::new()) } else { args };
    let command: C = serde_json::from_value(args).map_err(|error| {
        ErrorReply::new(codes::COMMAND_ARGUMENTS, format!("Invalid arguments for `{}`: {error}.", C::NAME))
    })?;
    let reply = app.call(command).await?;
    serde_json::to_value(reply).map_err(|error| {
        ErrorReply::new(
            codes::COMMAND_REPLY,
            format!("The reply of `{}` could not be serialized: {error}.", C::NAME),
        )
    })
}
