import { X } from "lucide-react";
import { useEffect, useState } from "react";
import { useStore } from "zustand";
import type { WatchedValue } from "@/bindings";
import { IconButton } from "@/design/controls/Button";
import { HostError } from "@/ipc";
import { nameOf } from "@/run/debug/breakpoints";
import { useFlow, useWorkspace } from "@/workspace/context";
import { useActiveSession, usePastRun, useRunHead } from "@/workspace/run-hooks";
import { TEXTS } from "./texts";

const NONE: readonly string[] = [];

/** Expressions with their values where the shown run stands: at its stop, at the shown moment of the past, or at its end. */
export function Watches() {
  const { watches } = useWorkspace();
  const name = useFlow(nameOf);
  const expressions = useStore(watches.store, (state) => state[name] ?? NONE);
  const values = useValues(expressions);
  return (
    <section
      className="flex w-[300px] shrink-0 flex-col border-line border-l"
      aria-label={TEXTS.watches}
      data-testid="watches"
    >
      <h3 className="flex h-8 shrink-0 items-center border-line border-b px-2.5 text-fg-3 text-xs">{TEXTS.watches}</h3>
      <ul className="min-h-0 flex-1 overflow-y-auto">
        {expressions.map((expression) => (
          <li
            key={expression}
            className="group flex items-start gap-1 border-line border-b py-1 pr-1 pl-2.5 font-mono text-xs"
          >
            <span className="min-w-0 flex-1">
              <span className="block truncate text-fg-2" title={expression}>
                {expression}
              </span>
              <Value value={values.get(expression)} />
            </span>
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
    </section>
  );
}

function AddWatch() {
  const { watches } = useWorkspace();
  const [text, setText] = useState("");
  return (
    <form
      className="shrink-0 p-1.5"
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
  if (value === undefined) return <span className="block text-fg-3">{TEXTS.noValue}</span>;
  if ("error" in value) {
    return <span className="block break-words text-bad">{value.error.message}</span>;
  }
  const text = typeof value.value === "string" ? value.value : (JSON.stringify(value.value) ?? "");
  return <span className="block max-h-24 overflow-y-auto whitespace-pre-wrap break-words">{text}</span>;
}

/** What the expressions are in the run that is shown. Nothing without a run, and while it goes on: values change with each event then. */
function useValues(expressions: readonly string[]): ReadonlyMap<string, WatchedValue> {
  const { host } = useWorkspace();
  const run = useActiveSession()?.run;
  const events = usePastRun()?.count;
  const status = useRunHead((head) => head.status);
  const stop = useRunHead((head) => head.stop);
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
