import type { ConfigSource, ResolvedConfig } from "@/bindings";
import { useWorkspace } from "@/workspace/context";
import { CONFIG_FIELDS } from "./config-fields";
import { TEXTS } from "./texts";

/** Long texts, such as instructions, are cut. */
const MAX_CHARS = 60;

/** Below an empty field: the value that holds, and where it comes from. Leads there. */
export function InheritedHint({ id, inherited }: { id?: string; inherited: ResolvedConfig }) {
  const { source } = inherited;
  return (
    <p id={id} className="mt-1 text-fg-3 text-xs" data-testid="inherited">
      <span className="break-words text-fg-2">{textOf(inherited)}</span> ·{" "}
      {source.layer === "builtIn" ? TEXTS.builtIn : <SourceLink of={inherited} />}
    </p>
  );
}

function textOf({ value, depends }: ResolvedConfig): string {
  if (value === undefined) return depends ?? "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
}

function SourceLink({ of: { key, source } }: { of: ResolvedConfig }) {
  const { editor, layout, canvas } = useWorkspace();
  const open = () => {
    if (source.layer === "settings")
      layout.showSettings({ section: CONFIG_FIELDS.find((field) => field.key === key)?.section });
    else if ("node" in source) {
      editor.selectOnly({ nodes: [source.node] });
      canvas.reveal({ node: source.node });
    } else editor.selectOnly({});
  };
  return (
    <button type="button" className="text-accent underline-offset-2 hover:underline" onClick={open}>
      {nameOf(source)}
    </button>
  );
}

function nameOf(source: ConfigSource): string {
  switch (source.layer) {
    case "settings":
      return TEXTS.fromSettings;
    case "flow":
      return TEXTS.fromFlow;
    case "loop":
      return TEXTS.fromLoop(source.node);
    case "node":
      return TEXTS.fromNode(source.node);
    case "builtIn":
      return TEXTS.builtIn;
  }
}
