import type { ReactNode } from "react";
import { Button } from "@/design/controls/Button";
import { Keys } from "@/design/keys/Keys";
import { isStartPage } from "@/flow/document/flow-state";
import { useCommands, useFlow, useKeys } from "@/workspace/context";
import { TEXTS } from "./texts";

/** What an empty canvas shows: how to begin. */
export function EmptyCanvas() {
  const empty = useFlow((state) => !state.viewing && !isStartPage(state) && Object.keys(state.flow.nodes).length === 0);
  return empty ? <Begin /> : null;
}

function Begin() {
  const commands = useCommands();
  return (
    <div
      className="pointer-events-none absolute inset-0 z-10 grid place-items-center overflow-auto p-6"
      data-testid="empty-canvas"
    >
      <div className="pointer-events-auto w-[480px] max-w-full">
        <h2 className="mb-1 font-semibold text-xl">{TEXTS.emptyFlow}</h2>
        <p className="mb-4 text-fg-2" data-testid="empty-canvas-hint">
          <KeysHint /> {TEXTS.connectHint}
        </p>
        <div className="flex gap-2">
          <Button kind="main" onClick={() => commands.run("view.searchNodes")}>
            {TEXTS.addNode}
          </Button>
          <Button data-testid="start-button-empty" onClick={() => commands.run("flow.start")}>
            {TEXTS.startPage}
          </Button>
        </div>
      </div>
    </div>
  );
}

/** The keys that add a node; a person can have changed or removed them. */
function KeysHint(): ReactNode {
  const search = useKeys("view.searchNodes");
  const add = useKeys("help.quick");
  if (!search && !add) return null;
  return (
    <>
      Press {search ? <Keys keys={search} /> : null}
      {search ? " to search node types" : ""}
      {search && add ? " or " : ""}
      {add ? <Keys keys={add} /> : null}
      {add ? " to add a node" : ""}.
    </>
  );
}
