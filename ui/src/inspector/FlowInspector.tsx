import { useMemo } from "react";
import type { ConfigField, FlowSettings, FolderAccess } from "@/bindings";
import { displayedFlow } from "@/flow/document/flow-state";
import type { Spec } from "@/flow/node-types/config-spec";
import { CONFIG_FIELDS, pathOf, setOrRemove, specOfField, valueAt } from "@/forms/config-fields";
import { FormField } from "@/forms/FormField";
import type { Path } from "@/forms/findings";
import { InheritedValues, inheritedBy, withInherited } from "@/forms/inherited";
import { useResolvedConfig } from "@/forms/resolved-config";
import { useFlow, useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

const NAME: Spec = { kind: "text", widget: "line", optional: false };
const DESCRIPTION: Spec = {
  kind: "text",
  widget: "markdown",
  optional: false,
  help: "What the flow does. Supports Markdown.",
};
/** Where the settings stand in a flow. */
const PREFIX = "/settings";
/** The values in `config` hold for the loops and nodes of the flow. */
const NODE_DEFAULTS = "/config/";
const OF_FLOW = CONFIG_FIELDS.filter(({ flow }) => flow?.startsWith(NODE_DEFAULTS) === false);
const OF_NODES = CONFIG_FIELDS.filter(({ flow }) => flow?.startsWith(NODE_DEFAULTS) === true);

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
  const set = (path: Path, value: unknown) =>
    editor.setFlow({ settings: setOrRemove(flow.settings, path, value) as FlowSettings | undefined }, path.join("."));
  const setFolders = (folders: FolderAccess[] | undefined) => set(["folders"], folders?.length ? folders : undefined);
  const values = (fields: readonly ConfigField[]) =>
    fields.map((field) => {
      const [pointer, path] = [field.flow ?? "", pathOf(field.flow ?? "")];
      const spec = withInherited(specOfField(field), inherited, `${PREFIX}${pointer}`);
      return (
        <FormField
          key={field.key}
          label={spec.title ?? field.key}
          spec={spec}
          value={valueAt(flow.settings, path)}
          path={path}
          onChange={set}
          {...common}
        />
      );
    });
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
        <InheritedValues values={inherited} prefix={PREFIX}>
          {values(OF_FLOW)}
          <details className="section mb-3.5" open={flow.settings?.config !== undefined}>
            <summary>{TEXTS.nodeDefaults}</summary>
            <p className="py-2 text-fg-3 text-xs">{TEXTS.nodeDefaultsHelp}</p>
            {values(OF_NODES)}
          </details>
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
