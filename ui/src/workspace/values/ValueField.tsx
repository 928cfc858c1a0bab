import { type ReactNode, useId, useState } from "react";
import { Button } from "@/design/controls/Button";
import { ErrorMessage } from "@/design/text/ErrorMessage";
import type { HostError } from "@/ipc";
import { TEXTS } from "./texts";

type Props = {
  port: string;
  value: unknown;
  /** Gives why the value was refused, if it was. */
  onChange: (value: unknown) => Promise<HostError | undefined> | undefined;
  /** Above the field, in place of beside it. */
  stacked?: boolean;
  readOnly?: boolean;
  children?: ReactNode;
};

/** The value of a port, which a person can write in place of it. */
export function ValueField({ port, value, onChange, stacked = false, readOnly = false, children }: Props) {
  const id = useId();
  const before = textOf(value);
  const [text, setText] = useState(before);
  const [error, setError] = useState<string | HostError>();
  const apply = async () => {
    const read = readText(text, value);
    setError("problem" in read ? read.problem : await onChange(read.value));
  };
  return (
    <div className={`mb-1.5 flex gap-2 ${stacked ? "flex-col gap-1" : "items-start"}`}>
      <label
        htmlFor={id}
        className={`truncate font-mono text-fg-2 text-xs ${stacked ? "" : "w-28 shrink-0 pt-1 text-right"}`}
      >
        {port}
      </label>
      <div className={`min-w-0 ${stacked ? "" : "flex-1"}`}>
        <textarea
          id={id}
          className="min-h-7 w-full resize-y rounded-md border border-line bg-bg-2 px-2 py-1 font-mono text-xs outline-none focus:border-accent"
          rows={Math.min(6, text.split("\n").length)}
          value={text}
          spellCheck={false}
          readOnly={readOnly}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {typeof error === "string" ? (
          <p className="text-bad text-xs">{error}</p>
        ) : error ? (
          <ErrorMessage className="text-xs" error={error} />
        ) : null}
      </div>
      {readOnly ? null : (
        <div className="flex shrink-0 gap-2">
          <Button disabled={text === before} aria-label={TEXTS.changeOf(port)} onClick={() => void apply()}>
            {TEXTS.change}
          </Button>
          {children}
        </div>
      )}
    </div>
  );
}

/** Text as it is, anything else as JSON. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
}

/** A text stays a text; what was JSON has to be JSON again. */
function readText(text: string, before: unknown): { value: unknown } | { problem: string } {
  if (typeof before === "string") return { value: text };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { problem: TEXTS.notJson };
  }
}
