import { X } from "lucide-react";
import { useEffect, useState } from "react";
import { useStore } from "zustand";
import type { WatchedValue } from "@/bindings";
import { IconButton } from "@/design/controls/Button";
import { InlineCode } from "@/design/text/InlineCode";
import { HostError } from "@/ipc";
import { nameOf } from "@/run/debug/kept-by-flow";
import { useFlow, useWorkspace } from "@/workspace/context";
import { useActiveSession, usePastRun, useRunHead, useStop } from "@/workspace/run-hooks";
import { TEXTS } from "./texts";

const NONE: readonly string[] = [];

/** Expressions with their values where the shown run stands: at its stop, at the shown moment of the past, or at its end. */
export function WatchesTab() {
  const { watches } = useWorkspace();
  const name = useFlow(nameOf);
  const expressions = useStore(watches.store, (state) => state[name] ?? NONE);
  const values = useValues(expressions);
  return (
    <div className="h-full overflow-y-auto font-mono text-xs" data-testid="watches">
      <ul aria-label={TEXTS.watches}>
        {expressions.map((expression) => (
          <li key={expression} className="flex items-start gap-3 border-line border-b py-1 pr-1.5 pl-3.5">
            <span className="w-2/5 shrink-0 break-words pt-1 text-fg-2">{expression}</span>
            <Value value={values.get(expression)} />
            <IconButton
              className="size-6!"
              label={TEXTS.removeWatch(expression)}
              icon={<X size={13} aria-hidden />}
              onClick={() => watches.remove(expression)}
            />
          </li>
        ))}
      </ul>
      <AddWatch />
    </div>
  );
}

function AddWatch() {
  const { watches } = useWorkspace();
  const [text, setText] = useState("");
  return (
    <form
      className="px-2 py-1.5"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim()) watches.add(text.trim());
        setText("");
      }}
    >
      <input
        className="h-7 w-full rounded-md border border-line bg-bg-2 px-2 font-mono text-xs outline-none placeholder:text-fg-3 focus:border-accent"
        value={text}
        aria-label={TEXTS.addWatch}
        placeholder={TEXTS.watchExample}
        title={TEXTS.watchHint}
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
      />
    </form>
  );
}

function Value({ value }: { value: WatchedValue | undefined }) {
  const className = "max-h-24 min-w-0 flex-1 overflow-y-auto whitespace-pre-wrap break-words pt-1";
  if (value === undefined) return <span className={`${className} text-fg-3`}>{TEXTS.noValue}</span>;
  if ("error" in value) {
    return (
      <span className={`${className} font-sans text-bad`}>
        <InlineCode text={value.error.message} />
      </span>
    );
  }
  const text = typeof value.value === "string" ? value.value : (JSON.stringify(value.value) ?? "");
  return <span className={className}>{text}</span>;
}

/** What the expressions are in the run that is shown. Nothing without a run, and while it goes on: values change with each event then. */
function useValues(expressions: readonly string[]): ReadonlyMap<string, WatchedValue> {
  const { host } = useWorkspace();
  const run = useActiveSession()?.run;
  const events = usePastRun()?.count;
  const status = useRunHead((head) => head.status);
  const stop = useStop();
  const [values, setValues] = useState<ReadonlyMap<string, WatchedValue>>(new Map());
  const stands = events !== undefined || status !== "running";
  // A value that is changed at a stop is another stop.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the stop and the status say that there is something new to read
  useEffect(() => {
    let isCurrent = true;
    const read = async () => {
      if (run === undefined || !stands || expressions.length === 0) return new Map();
      const asked = [...expressions];
      try {
        const read = await host.call("lens.evaluate", {
          run,
          expressions: asked,
          ...(events !== undefined && { events }),
          // Of several stops, the one that is looked at.
          ...(stop?.at && { focus: { node: stop.at.node, epoch: stop.at.epoch } }),
        });
        return new Map(asked.flatMap((expression, at) => (read[at] ? [[expression, read[at]] as const] : [])));
      } catch (thrown) {
        const { code, message } = HostError.from(thrown);
        return new Map(asked.map((expression) => [expression, { error: { code, message } } as WatchedValue]));
      }
    };
    void read().then((read) => {
      if (isCurrent) setValues(read);
    });
    return () => {
      isCurrent = false;
    };
  }, [host, run, events, status, stop, stands, expressions]);
  return values;
}
