import { useEffect } from "react";
import type { ToolSummary } from "@/bindings";
import type { Spec } from "@/flow/node-types/config-spec";
import { useOwnTools, useWorkspace } from "@/workspace/context";
import { useStepwise } from "./form-context";
import type { FieldProps } from "./props";
import { TEXTS } from "./texts";

type ListSpec = Extract<Spec, { kind: "list" }>;

/** Names of Plait's own tools, each with a check box. Names that the host does not know stay until they are unchecked. */
export function ToolChecklist({ id, label, value, path, onChange, readOnly }: FieldProps<ListSpec>) {
  const { ownTools } = useWorkspace();
  const change = useStepwise(onChange);
  const own = useOwnTools((state) => state.tools);
  const known = own ?? [];
  useEffect(() => void ownTools.load(), [ownTools]);
  const chosen = Array.isArray(value) ? value.filter((name): name is string => typeof name === "string") : [];
  const unknown = chosen.filter((name) => !known.some((tool) => tool.name === name));
  const rows: readonly Partial<ToolSummary>[] = [...known, ...unknown.map((name) => ({ name }))];
  const toggle = (name: string, checked: boolean) => {
    // In the order of the list, so that the same choice is always the same text.
    const next = rows.flatMap((row) => {
      const isChosen = row.name === name ? checked : chosen.includes(row.name ?? "");
      return row.name && isChosen ? [row.name] : [];
    });
    change(path, next);
  };
  return (
    <fieldset id={id} aria-label={label} className="flex flex-col gap-1.5">
      {rows.map(({ name = "", description, effect }) => (
        <label key={name} className="flex items-start gap-2 text-sm" title={description}>
          <input
            type="checkbox"
            className="mt-0.5"
            checked={chosen.includes(name)}
            disabled={readOnly}
            onChange={(event) => toggle(name, event.target.checked)}
          />
          <span className="min-w-0">
            <code>{name}</code>
            {effect && effect !== "read" ? (
              <span className="ml-1.5 text-wait text-xs" data-testid="tool-effect">
                {effect === "write" ? TEXTS.writes : TEXTS.sends}
              </span>
            ) : null}
            {description ? (
              <span className="line-clamp-2 text-fg-3 text-xs">{description}</span>
            ) : own ? (
              <span className="block text-bad text-xs">{TEXTS.unknownTool}</span>
            ) : null}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
