import { FilePlus, FolderOpen, Import, Pencil, Trash2, X } from "lucide-react";
import { type ReactNode, useCallback, useState } from "react";
import type { ExampleFlow, RecentFlow, TemplateSummary } from "@/bindings";
import { Button, IconButton } from "@/design/controls/Button";
import { isComposing } from "@/design/keys/keys";
import { plain } from "@/design/markdown/plain-text";
import { useNow } from "@/design/useNow";
import { fileName, isStartPage } from "@/flow/document/flow-state";
import { formatAgo, formatDate } from "@/run/values/format";
import { useCommands, useFlow, useWorkspace } from "@/workspace/context";
import { useFlowList } from "@/workspace/useFlowList";
import { FlowSketch } from "./FlowSketch";
import { TEXTS } from "./texts";

const MAX_RECENT = 8;

/** What a new tab shows: how to begin, the flows opened last, the person's templates and the examples. */
export function StartPage() {
  return useFlow(isStartPage) ? <Begin /> : null;
}

function Begin() {
  const commands = useCommands();
  const recent = useFlowList("flow.recent");
  const templates = useFlowList("templates.list");
  const examples = useFlowList("flow.examples");
  const actions = [
    { id: "flow.new", icon: <FilePlus size={15} aria-hidden />, kind: "main" },
    { id: "flow.open", icon: <FolderOpen size={15} aria-hidden />, kind: "plain" },
    { id: "flow.import", icon: <Import size={15} aria-hidden />, kind: "plain" },
  ] as const;
  return (
    <div className="absolute inset-0 z-10 overflow-y-auto bg-bg p-6" data-testid="start-page">
      <div className="mx-auto flex max-w-[880px] flex-col gap-6">
        <div className="flex flex-wrap gap-2">
          {actions.map(({ id, icon, kind }) => (
            <Button key={id} kind={kind} data-testid={`start-${id}`} onClick={() => commands.run(id)}>
              {icon} {commands.get(id).title}
            </Button>
          ))}
        </div>
        {recent.length > 0 ? (
          <Section title={TEXTS.recentFlows}>
            {recent.slice(0, MAX_RECENT).map((flow) => (
              <RecentCard key={flow.path} flow={flow} />
            ))}
          </Section>
        ) : null}
        {templates.length > 0 ? (
          <Section title={TEXTS.templates}>
            {templates.map((template) => (
              <TemplateCard key={template.id} template={template} />
            ))}
          </Section>
        ) : null}
        <Section title={TEXTS.examples}>
          {examples.map((example) => (
            <ExampleCard key={example.id} example={example} />
          ))}
        </Section>
      </div>
    </div>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2 className="mb-1.5 font-semibold text-2xs text-fg-3 uppercase tracking-[0.05em]">{title}</h2>
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(198px,1fr))] gap-2.5">{children}</ul>
    </section>
  );
}

type CardProps = {
  testId: string;
  title: string;
  tip: string;
  onOpen: () => void;
  disabled?: boolean;
  picture?: ReactNode;
  /** Buttons that appear while the pointer or the focus is on the card. */
  actions?: ReactNode;
  children: ReactNode;
};

function Card({ testId, title, tip, onOpen, disabled, picture, actions, children }: CardProps) {
  return (
    <li className="group relative">
      <button
        type="button"
        data-testid={testId}
        title={tip}
        disabled={disabled}
        className="flex h-full w-full flex-col rounded-lg border border-line bg-bg-1 text-left hover:border-line-2 hover:bg-bg-3 disabled:opacity-60"
        onClick={onOpen}
      >
        {picture}
        <span className="block w-full min-w-0 px-3 py-2">
          <b className="block truncate font-medium">{title}</b>
          {children}
        </span>
      </button>
      {actions ? (
        <span className="absolute top-1 right-1 flex rounded-md bg-bg-3 opacity-0 focus-within:opacity-100 group-focus-within:opacity-100 group-hover:opacity-100">
          {actions}
        </span>
      ) : null}
    </li>
  );
}

function RecentCard({ flow: { path, name, openedAt, missing } }: { flow: RecentFlow }) {
  const { host, files } = useWorkspace();
  const now = useNow();
  const load = useCallback(() => host.call("flow.read", { path }), [host, path]);
  const title = name || fileName(path);
  return (
    <Card
      testId={`start-recent-${path}`}
      title={title}
      tip={path}
      disabled={missing}
      onOpen={() => void files.openPath(path)}
      picture={<FlowSketch key={openedAt} load={load} />}
      actions={
        <IconButton
          label={TEXTS.forget(title)}
          className="size-6"
          icon={<X size={13} />}
          onClick={() => void files.forget(path)}
        />
      }
    >
      <span className="block truncate text-fg-3 text-xs">{missing ? TEXTS.fileNotFound : shortPath(path)}</span>
      <time
        className="block truncate text-fg-3 text-xs"
        dateTime={new Date(openedAt).toISOString()}
        title={formatDate(openedAt)}
      >
        {formatAgo(openedAt, now)}
      </time>
    </Card>
  );
}

function ExampleCard({ example: { id, title, description } }: { example: ExampleFlow }) {
  const { host, files } = useWorkspace();
  const load = useCallback(() => host.call("flow.example", { id }), [host, id]);
  return (
    <Card
      testId={`example-${id}`}
      title={title}
      tip={plain(description)}
      onOpen={() => void files.openExample(id)}
      picture={<FlowSketch load={load} />}
    >
      <span className="line-clamp-2 text-fg-2 text-xs">{plain(description)}</span>
    </Card>
  );
}

/** The end of a path, which says more than its beginning. */
function shortPath(path: string): string {
  const parts = path.split(/[\\/]/);
  return parts.length > 3 ? `…/${parts.slice(-2).join("/")}` : path;
}

function TemplateCard({ template: { id, name, description, savedAt, problem } }: { template: TemplateSummary }) {
  const { host, files } = useWorkspace();
  const now = useNow();
  const [isRenaming, setRenaming] = useState(false);
  const load = useCallback(() => host.call("templates.open", { id }), [host, id]);
  if (isRenaming) {
    return (
      <Rename
        name={name}
        onDone={(chosen) => {
          setRenaming(false);
          if (chosen) void files.renameTemplate(id, chosen);
        }}
      />
    );
  }
  return (
    <Card
      testId={`template-${name}`}
      title={name}
      tip={problem ?? plain(description)}
      disabled={problem !== undefined}
      onOpen={() => void files.openTemplate(id)}
      picture={<FlowSketch key={savedAt} load={load} />}
      actions={
        <>
          <IconButton
            label={TEXTS.renameTemplate(name)}
            className="size-6"
            icon={<Pencil size={13} />}
            onClick={() => setRenaming(true)}
          />
          <IconButton
            label={TEXTS.deleteTemplate(name)}
            className="size-6"
            icon={<Trash2 size={13} />}
            onClick={() => void files.removeTemplate(id, name)}
          />
        </>
      }
    >
      <span className="block truncate text-fg-3 text-xs">
        {problem ?? (plain(description) || formatAgo(savedAt, now))}
      </span>
    </Card>
  );
}

/** `onDone` gets the new name, if it is another one. */
function Rename({ name, onDone }: { name: string; onDone: (name?: string) => void }) {
  const [typed, setTyped] = useState(name);
  const keep = () => onDone(typed.trim() === name ? undefined : typed.trim());
  return (
    <li className="rounded-lg border border-line bg-bg-1 p-2">
      <input
        // biome-ignore lint/a11y/noAutofocus: the field opens on request.
        autoFocus
        className="h-[30px] w-full rounded-md border border-line bg-bg px-2"
        aria-label={TEXTS.templateName}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={keep}
        onKeyDown={(event) => {
          if (isComposing(event)) return;
          if (event.key === "Enter") keep();
          if (event.key === "Escape") onDone();
        }}
      />
    </li>
  );
}
