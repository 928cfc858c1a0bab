import { useEffect, useState } from "react";
import { formatJson, parseJson } from "@/design/json/exact-json";
import type { Spec } from "@/flow/node-types/config-spec";
import { useWorkspace } from "@/workspace/context";
import { CodeEditor } from "./CodeEditor";
import { useConfigNode } from "./config-node";
import { useSettle } from "./form-context";
import type { FieldProps } from "./props";
import { TEXTS } from "./texts";

type JsonSpec = Extract<Spec, { kind: "json" }>;

/** Any JSON. Valid input goes into the flow at once; invalid input stays in the editor, also while other things are shown. */
export function CodeControl({
  label,
  spec,
  value,
  path,
  onChange,
  readOnly,
  describedBy,
  invalid,
}: FieldProps<JsonSpec>) {
  const { fieldDrafts } = useWorkspace();
  const settle = useSettle();
  const place = { node: useConfigNode().id, path };
  const [typed, setTyped] = useState(() => (readOnly ? undefined : fieldDrafts.get(place, value)) ?? write(value));
  const { problem: broken } = parse(typed);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what others change comes this way.
  useEffect(() => {
    // Invalid text stays, now as a draft for the other value.
    if (broken !== undefined && !readOnly) fieldDrafts.set(place, { text: typed, value, label, problem: broken });
    else setTyped((before) => (same(before, value) ? before : write(value)));
  }, [value]);
  return (
    <>
      <CodeEditor
        language="json"
        label={label}
        describedBy={describedBy}
        invalid={invalid || broken !== undefined}
        placeholder={spec.default === undefined || spec.default === null ? TEXTS.json : formatJson(spec.default)}
        value={typed}
        readOnly={readOnly}
        onChange={(text) => {
          setTyped(text);
          const read = parse(text);
          if (read.problem === undefined) {
            fieldDrafts.drop(place);
            onChange(path, read.value);
          } else {
            fieldDrafts.set(place, { text, value, label, problem: read.problem });
          }
        }}
        onBlur={settle}
      />
      {broken ? (
        <p className="mt-1 text-bad text-xs" role="status">
          {TEXTS.invalidJsonFlowKeeps(broken)}
        </p>
      ) : null}
    </>
  );
}

function write(value: unknown): string {
  return formatJson(value, 2) ?? "";
}

function parse(text: string): { value?: unknown; problem?: string } {
  if (text.trim() === "") return { value: undefined };
  try {
    return { value: parseJson(text) };
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return { problem: message.endsWith(".") ? message : `${message}.` };
  }
}

function same(text: string, value: unknown): boolean {
  const read = parse(text);
  // While the text is not JSON the person is still typing: it must not be taken from under them.
  return read.problem !== undefined || JSON.stringify(read.value) === JSON.stringify(value);
}
