import { useMemo } from "react";
import type { FlowQuotas, FolderAccess, MemorySettings, TreeLimits } from "@/bindings";
import { displayedFlow } from "@/flow/document/flow-state";
import { setAt } from "@/flow/edits/edits";
import type { Spec } from "@/flow/node-types/config-spec";
import { FormField } from "@/forms/FormField";
import type { Path } from "@/forms/findings";
import { InheritedValues, inheritedBy } from "@/forms/inherited";
import { useFlow, useWorkspace } from "@/workspace/context";
import { useResolvedConfig } from "@/workspace/settings/resolved-config";
import { ConfigValues } from "./ConfigValues";
import { quotaSpec } from "./quota-spec";
import { TEXTS } from "./texts";

const NAME: Spec = { kind: "text", widget: "line", optional: false };
const DESCRIPTION: Spec = {
  kind: "text",
  widget: "markdown",
  optional: false,
  help: "What the flow does. Supports Markdown.",
};
const CONCURRENCY: Spec = {
  kind: "number",
  integer: true,
  optional: true,
  min: 1,
  default: 16,
  help: "Maximum number of nodes that run at the same time.",
};

const UNATTENDED: Spec = {
  kind: "number",
  integer: true,
  optional: true,
  min: 1,
  default: 100,
  help: "A cycle ends after this many iterations in a row in which nobody was asked, unless “Max iterations” bounds it.",
};

/** The limits of a run and all runs below it, by the key of each. */
const LIMITS: readonly { key: keyof TreeLimits; label: string; spec: Spec }[] = [
  {
    key: "maxRuns",
    label: TEXTS.maxRuns,
    spec: limit("Maximum number of runs: a run of this flow and all runs of sub-flows below it. Default: 1,000."),
  },
  {
    key: "maxModelCalls",
    label: TEXTS.maxModelCalls,
    spec: limit("Maximum number of model calls in all of these runs together. Default: 1,000."),
  },
  {
    key: "maxEvents",
    label: TEXTS.maxEvents,
    spec: limit("After this many events in all of these runs, no node starts. Default: 10,000,000."),
  },
];

function limit(help: string): Spec {
  return { kind: "number", integer: true, optional: true, min: 1, help };
}

const FOLDERS: Spec = {
  kind: "list",
  optional: true,
  help: "The folders whose files tools and “Read file” may use, relative to the flow’s file. Without any, they may read the folder of the file and write nothing.",
  item: {
    kind: "object",
    optional: false,
    fields: [
      {
        name: "path",
        label: TEXTS.folderPath,
        required: true,
        spec: { kind: "text", widget: "line", optional: false },
      },
      {
        name: "write",
        label: TEXTS.folderWrite,
        required: false,
        spec: { kind: "boolean", optional: false, default: false },
      },
    ],
  },
};

const WINDOW: Spec = {
  kind: "number",
  integer: true,
  optional: true,
  min: 1,
  help: "Maximum tokens of each model call, prompt and reply together. Default: the model’s own window.",
};

const MEMORY_MODE: Spec = {
  kind: "choice",
  optional: true,
  default: "off",
  choices: [
    { value: "off", label: TEXTS.memoryOff },
    { value: "read", label: TEXTS.memoryRead },
    { value: "readWrite", label: TEXTS.memoryReadWrite },
  ],
  help: "What the Chat nodes of the flow do with its memory, unless they say otherwise. Default: off.",
};

const RECENT_TURNS: Spec = {
  kind: "number",
  integer: true,
  optional: true,
  min: 1,
  max: 200,
  default: 12,
  help: "How many turns the flow’s memory keeps verbatim. A model summarizes older ones.",
};

const SUMMARIZER: Spec = {
  kind: "object",
  optional: true,
  fields: [
    {
      name: "provider",
      label: TEXTS.provider,
      required: false,
      spec: { kind: "text", widget: "provider", optional: true, help: "Default: the provider in the settings." },
    },
    {
      name: "model",
      label: TEXTS.model,
      required: false,
      spec: { kind: "text", widget: "model", optional: true, help: "Default: the model of the node’s context." },
    },
  ],
  help: "The model that summarizes older turns of the memory.",
};

const QUOTAS: readonly { key: keyof FlowQuotas; label: string; spec: Spec }[] = [
  {
    key: "run",
    label: TEXTS.runQuota,
    spec: quotaSpec("What the model calls of a run, and of all runs of sub-flows below it, may use together."),
  },
  {
    key: "conversation",
    label: TEXTS.conversationQuota,
    spec: quotaSpec("What all runs of one conversation may use together."),
  },
];

/** The settings of the flow's memory. */
const MEMORY: readonly { key: keyof MemorySettings; label: string; spec: Spec }[] = [
  { key: "mode", label: TEXTS.memory, spec: MEMORY_MODE },
  { key: "recentTurns", label: TEXTS.recentTurns, spec: RECENT_TURNS },
  { key: "summarizer", label: TEXTS.memorySummarizer, spec: SUMMARIZER },
];

/** The flow itself, while nothing in it is selected. */
export function FlowInspector() {
  const { editor } = useWorkspace();
  const flow = useFlow(displayedFlow);
  const readOnly = useFlow((state) => state.viewing !== undefined);
  const resolved = useResolvedConfig(undefined);
  const inherited = useMemo(() => inheritedBy(resolved, undefined), [resolved]);
  const nodes = Object.keys(flow.nodes).length;
  const edges = Object.keys(flow.edges).length;
  const common = { findings: [], readOnly };
  const set = (name: "maxConcurrency" | "maxUnattendedEpochs" | "contextWindow") => (_: Path, value: unknown) => {
    const settings = { ...flow.settings, [name]: value as number | undefined };
    if (value === undefined) delete settings[name];
    editor.setFlow({ settings: Object.keys(settings).length === 0 ? undefined : settings }, name);
  };
  const setLimit = (name: keyof TreeLimits, value: number | undefined) => {
    const { [name]: _, ...others } = flow.settings?.limits ?? {};
    const limits: TreeLimits = value === undefined ? others : { ...others, [name]: value };
    const { limits: __, ...rest } = flow.settings ?? {};
    const settings = Object.keys(limits).length === 0 ? rest : { ...rest, limits };
    editor.setFlow({ settings: Object.keys(settings).length === 0 ? undefined : settings }, name);
  };
  const setMemory = (path: Path, value: unknown) => {
    const { memory, ...rest } = flow.settings ?? {};
    const changed = (setAt(memory ?? {}, path.slice(1), value) ?? {}) as MemorySettings;
    const settings = Object.keys(changed).length === 0 ? rest : { ...rest, memory: changed };
    editor.setFlow({ settings: Object.keys(settings).length === 0 ? undefined : settings }, path.join("."));
  };
  const setQuota = (path: Path, value: unknown) => {
    const { quotas, ...rest } = flow.settings ?? {};
    const changed = setAt(quotas ?? {}, path.slice(1), value) as FlowQuotas;
    const kept = Object.fromEntries(Object.entries(changed).filter(([, quota]) => Object.keys(quota).length > 0));
    const settings = Object.keys(kept).length === 0 ? rest : { ...rest, quotas: kept };
    editor.setFlow({ settings: Object.keys(settings).length === 0 ? undefined : settings }, path.join("."));
  };
  const setFolders = (folders: FolderAccess[] | undefined) => {
    const { folders: _, ...rest } = flow.settings ?? {};
    const settings = folders && folders.length > 0 ? { ...rest, folders } : rest;
    editor.setFlow({ settings: Object.keys(settings).length === 0 ? undefined : settings }, "folders");
  };
  const setConfig = (config: Record<string, unknown>, key: string) => {
    const { config: _, ...rest } = flow.settings ?? {};
    const settings = Object.keys(config).length === 0 ? rest : { ...rest, config };
    editor.setFlow({ settings: Object.keys(settings).length === 0 ? undefined : settings }, `config.${key}`);
  };
  return (
    <section className="flex h-full flex-col" aria-label={TEXTS.flow} onBlur={() => editor.sealGesture()}>
      <header className="shrink-0 border-line border-b px-3 py-2.5">
        <h2 className="font-semibold">{TEXTS.flow}</h2>
        <p className="text-fg-3 text-xs">
          {nodes} {nodes === 1 ? "node" : "nodes"}, {edges} {edges === 1 ? "edge" : "edges"}
        </p>
      </header>
      {/* What scrolls must be reachable by keyboard, also with all fields disabled. */}
      <div className="min-h-0 flex-1 overflow-y-auto px-3 py-3" tabIndex={readOnly ? 0 : undefined}>
        <FormField
          label={TEXTS.name}
          spec={NAME}
          value={flow.name}
          path={["name"]}
          onChange={(_, value) => editor.setFlow({ name: (value as string | undefined) ?? "" }, "name")}
          {...common}
        />
        <FormField
          label={TEXTS.description}
          spec={DESCRIPTION}
          value={flow.description}
          path={["description"]}
          onChange={(_, value) => editor.setFlow({ description: value as string | undefined }, "description")}
          {...common}
        />
        <InheritedValues values={inherited} prefix="/settings">
          <FormField
            label={TEXTS.maxConcurrency}
            spec={CONCURRENCY}
            value={flow.settings?.maxConcurrency}
            path={["maxConcurrency"]}
            onChange={set("maxConcurrency")}
            {...common}
          />
          <FormField
            label={TEXTS.maxUnattendedIterations}
            spec={UNATTENDED}
            value={flow.settings?.maxUnattendedEpochs}
            path={["maxUnattendedEpochs"]}
            onChange={set("maxUnattendedEpochs")}
            {...common}
          />
          {LIMITS.map(({ key, label, spec }) => (
            <FormField
              key={key}
              label={label}
              spec={spec}
              value={flow.settings?.limits?.[key]}
              path={["limits", key]}
              onChange={(_, value) => setLimit(key, value as number | undefined)}
              {...common}
            />
          ))}
          {QUOTAS.map(({ key, label, spec }) => (
            <FormField
              key={key}
              label={label}
              spec={spec}
              value={flow.settings?.quotas?.[key]}
              path={["quotas", key]}
              onChange={setQuota}
              {...common}
            />
          ))}
          <FormField
            label={TEXTS.contextWindow}
            spec={WINDOW}
            value={flow.settings?.contextWindow}
            path={["contextWindow"]}
            onChange={set("contextWindow")}
            {...common}
          />
          {MEMORY.map(({ key, label, spec }) => (
            <FormField
              key={key}
              label={label}
              spec={spec}
              value={flow.settings?.memory?.[key]}
              path={["memory", key]}
              onChange={setMemory}
              {...common}
            />
          ))}
          <ConfigValues
            resolved={resolved}
            inherited={inherited}
            values={flow.settings?.config ?? {}}
            onChange={setConfig}
            readOnly={readOnly}
          />
        </InheritedValues>
        <FormField
          label={TEXTS.folders}
          spec={FOLDERS}
          value={flow.settings?.folders}
          path={["folders"]}
          onChange={(path, value) => setFolders(setIn(flow.settings?.folders ?? [], path.slice(1), value))}
          {...common}
        />
        <p className="text-fg-3 text-xs">{TEXTS.selectNodeSeeConfiguration}</p>
      </div>
    </section>
  );
}

/** A list of folders with the value at a path changed: the list itself, or a field of one folder. */
function setIn(folders: readonly FolderAccess[], path: Path, value: unknown): FolderAccess[] | undefined {
  const [index, field] = path;
  if (typeof index !== "number") return value as FolderAccess[] | undefined;
  return folders.map((folder, at) => {
    if (at !== index) return folder;
    if (field === "path") return { ...folder, path: (value as string | undefined) ?? "" };
    const { write: _, ...rest } = folder;
    return value === true ? { ...rest, write: true } : rest;
  });
}
