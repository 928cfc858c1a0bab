import {
  AppWindow,
  CloudUpload,
  FileCheck,
  FilePlus,
  FolderOpen,
  History,
  Import,
  LayoutTemplate,
  Save,
  SaveAll,
  Search,
  Server,
  X,
} from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "@/design/controls/Button";
import { Keys } from "@/design/keys/Keys";
import { plain } from "@/design/markdown/plain-text";
import { documentFlow, fileName } from "@/flow/document/flow-state";
import { useCommands, useFlow, useWorkspace } from "@/workspace/context";
import { useFlowList } from "@/workspace/useFlowList";
import { TEXTS } from "./texts";

/** Only a flow that was imported has one. */
const IMPORT_REPORT = "flow.importReport";
const FILE_COMMANDS: { id: string; icon: ReactNode }[] = [
  { id: "flow.new", icon: <FilePlus size={15} aria-hidden /> },
  { id: "flow.open", icon: <FolderOpen size={15} aria-hidden /> },
  { id: "flow.import", icon: <Import size={15} aria-hidden /> },
  { id: IMPORT_REPORT, icon: <FileCheck size={15} aria-hidden /> },
  { id: "flow.save", icon: <Save size={15} aria-hidden /> },
  { id: "flow.saveAs", icon: <SaveAll size={15} aria-hidden /> },
  { id: "flow.saveTemplate", icon: <LayoutTemplate size={15} aria-hidden /> },
  { id: "flow.versions", icon: <History size={15} aria-hidden /> },
  { id: "flow.publish", icon: <CloudUpload size={15} aria-hidden /> },
  { id: "flow.search", icon: <Search size={15} aria-hidden /> },
  { id: "window.new", icon: <AppWindow size={15} aria-hidden /> },
  { id: "window.hosts", icon: <Server size={15} aria-hidden /> },
];

/** Flows: what can be done with files and windows, the ones opened lately, and the examples. */
export function FlowsPanel() {
  const { files } = useWorkspace();
  const commands = useCommands();
  const path = useFlow((state) => state.path);
  // Whether there is something to keep as a template.
  useFlow((state) => Object.keys(documentFlow(state).nodes).length > 0);
  const wasImported = useFlow((state) => state.importReport !== undefined);
  const recent = useFlowList("flow.recent");
  const examples = useFlowList("flow.examples");
  return (
    <div className="h-full overflow-y-auto p-2.5" data-testid="flows-panel">
      <div className="flex flex-col">
        {FILE_COMMANDS.filter(({ id }) => id !== IMPORT_REPORT || wasImported).map(({ id, icon }) => {
          const command = commands.get(id);
          return (
            <button
              key={id}
              type="button"
              className="list-row"
              data-testid={`flows-${id}`}
              disabled={!commands.isEnabled(command)}
              onClick={() => commands.run(command)}
            >
              <span className="text-fg-2">{icon}</span>
              <span className="flex-1">{command.title}</span>
              {command.keys?.[0] ? <Keys keys={command.keys[0]} /> : null}
            </button>
          );
        })}
      </div>
      <Section title={TEXTS.recent}>
        {recent.length === 0 ? <p className="px-1.5 text-fg-3 text-xs">{TEXTS.flowsYouOpenSave}</p> : null}
        <ul>
          {recent.map((flow) => (
            <li key={flow.path} className="group flex items-center">
              <button
                type="button"
                className="list-row min-w-0 flex-1"
                title={flow.path}
                disabled={flow.missing}
                aria-current={flow.path === path || undefined}
                data-testid={`recent-${flow.path}`}
                onClick={() => void files.openPath(flow.path)}
              >
                <span className="min-w-0">
                  <b className="block truncate font-medium">{flow.name || fileName(flow.path)}</b>
                  <span className="block truncate text-fg-3 text-xs">
                    {flow.missing ? TEXTS.fileNotFound : flow.path}
                  </span>
                </span>
              </button>
              <IconButton
                label={`Remove ${flow.name || flow.path} from recent`}
                className="size-6 opacity-0 focus-visible:opacity-100 group-hover:opacity-100"
                icon={<X size={13} />}
                onClick={() => void files.forget(flow.path)}
              />
            </li>
          ))}
        </ul>
      </Section>
      <Section title={TEXTS.examples}>
        <ul>
          {examples.map((example) => (
            <li key={example.id}>
              <button
                type="button"
                className="list-row"
                data-testid={`flows-example-${example.id}`}
                title={plain(example.description)}
                onClick={() => void files.openExample(example.id)}
              >
                <span className="min-w-0">
                  <b className="block truncate font-medium">{example.title}</b>
                  <span className="line-clamp-2 text-fg-3 text-xs leading-[1.3]">{plain(example.description)}</span>
                </span>
              </button>
            </li>
          ))}
        </ul>
      </Section>
    </div>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="mt-3">
      <h2 className="mx-1.5 mb-1 font-semibold text-2xs text-fg-3 uppercase tracking-[0.05em]">{title}</h2>
      {children}
    </section>
  );
}
