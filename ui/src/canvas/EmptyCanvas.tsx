import { useEffect, useState } from "react";
import type { ExampleFlow } from "@/bindings";
import { Button } from "@/design/Button";
import { Keys } from "@/design/Keys";
import { plain } from "@/design/plain-text";
import { useCommands, useFlow, useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

/** What an empty canvas shows: how to begin, and the examples. */
export function EmptyCanvas() {
  const empty = useFlow((state) => !state.viewing && Object.keys(state.flow.nodes).length === 0);
  return empty ? <Begin /> : null;
}

function Begin() {
  const commands = useCommands();
  const { host, files } = useWorkspace();
  const [examples, setExamples] = useState<readonly ExampleFlow[]>([]);
  useEffect(() => {
    let current = true;
    host.call("flow.examples", {}).then(
      (list) => current && setExamples(list),
      () => undefined, // Without examples there is still a canvas.
    );
    return () => {
      current = false;
    };
  }, [host]);
  return (
    <div
      className="pointer-events-none absolute inset-0 z-10 grid place-items-center overflow-auto p-6"
      data-testid="empty-canvas"
    >
      <div className="pointer-events-auto w-[560px] max-w-full">
        <h2 className="mb-1 font-semibold text-xl">{TEXTS.emptyFlow}</h2>
        <p className="mb-4 text-fg-2">
          Press <Keys keys="/" /> to search node types or <Keys keys="Space" /> to add a node. Drag from a port to
          connect it, or drop the edge on the canvas to add a connected node.
        </p>
        <div className="mb-4 flex gap-2">
          <Button kind="main" onClick={() => commands.run("view.searchNodes")}>
            {TEXTS.addNode}
          </Button>
          <Button data-testid="open-button-empty" onClick={() => commands.run("flow.open")}>
            {TEXTS.openFlow}
          </Button>
        </div>
        {examples.length > 0 ? (
          <section aria-label={TEXTS.examples}>
            <h3 className="mb-1.5 font-semibold text-2xs text-fg-3 uppercase tracking-[0.05em]">
              {TEXTS.startExample}
            </h3>
            <ul className="grid grid-cols-2 gap-2">
              {examples.map((example) => (
                <li key={example.id}>
                  <button
                    type="button"
                    data-testid={`example-${example.id}`}
                    className="h-full w-full rounded-lg border border-line bg-bg-1 px-3 py-2 text-left hover:border-line-2 hover:bg-bg-3"
                    onClick={() => void files.openExample(example.id)}
                  >
                    <b className="block font-medium">{example.title}</b>
                    <span className="line-clamp-2 text-fg-2 text-xs">{plain(example.description)}</span>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ) : null}
      </div>
    </div>
  );
}
