import { useId, useState } from "react";
import type { PortName, StopView } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { ErrorMessage } from "@/design/text/ErrorMessage";
import type { HostError } from "@/ipc";
import { TEXTS } from "@/shell/texts";
import { useWorkspace } from "@/workspace/context";

/** The values that a stop holds, each of which can be changed before it goes on, and the ways that can be taken instead. */
export function StopValues({ stop }: { stop: StopView }) {
  return (
    <div className="max-h-56 w-full overflow-y-auto" data-testid="stop-values">
      {Object.entries(stop.values).map(([port, value]) => (
        // A value that was changed elsewhere is shown as it is now.
        <ValueField key={`${stop.number} ${port} ${textOf(value)}`} port={port} value={value} />
      ))}
      {stop.ways ? <OtherWays ways={stop.ways} /> : null}
    </div>
  );
}

/** The outputs that a switch, or the like, did not take. */
function OtherWays({ ways }: { ways: readonly PortName[] }) {
  const { runs } = useWorkspace();
  return (
    <div className="flex items-center gap-2">
      <span className="w-28 shrink-0 truncate text-right text-fg-2 text-xs">{TEXTS.otherWays}</span>
      {ways.map((way) => (
        <Button key={way} onClick={() => void runs.debugger.force(way)}>
          {TEXTS.takeWay(way)}
        </Button>
      ))}
    </div>
  );
}

function ValueField({ port, value }: { port: string; value: unknown }) {
  const { runs } = useWorkspace();
  const id = useId();
  const before = textOf(value);
  const [text, setText] = useState(before);
  const [error, setError] = useState<string | HostError>();
  const apply = async () => {
    const read = readText(text, value);
    setError("problem" in read ? read.problem : await runs.debugger.change(port, read.value));
  };
  return (
    <div className="mb-1.5 flex items-start gap-2">
      <label htmlFor={id} className="w-28 shrink-0 truncate pt-1 text-right font-mono text-fg-2 text-xs">
        {port}
      </label>
      <div className="min-w-0 flex-1">
        <textarea
          id={id}
          className="min-h-7 w-full resize-y rounded-md border border-line bg-bg-2 px-2 py-1 font-mono text-xs outline-none focus:border-accent"
          rows={Math.min(6, text.split("\n").length)}
          value={text}
          spellCheck={false}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {typeof error === "string" ? (
          <p className="text-bad text-xs">{error}</p>
        ) : error ? (
          <ErrorMessage className="text-xs" error={error} />
        ) : null}
      </div>
      <Button disabled={text === before} aria-label={TEXTS.changeValueOf(port)} onClick={() => void apply()}>
        {TEXTS.changeValue}
      </Button>
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
