import "./breakpoints.css";
import { Plus } from "lucide-react";
import { Button } from "@/design/controls/Button";
import { notify } from "@/design/dialogs/notify";
import { Empty } from "@/design/text/Empty";
import { useWorkspace } from "@/workspace/context";
import { AddBreakpoint } from "./AddBreakpoint";
import { BreakpointRow, RunBreakpointRow } from "./BreakpointRow";
import { type BreakpointList, useBreakpointList } from "./breakpoint-list";
import { TEXTS } from "./texts";

/** Where runs of the flow in view pause. Those of a run that is looked at can only be read. */
export function BreakpointsTab() {
  const { of, all } = useBreakpointList();
  if (all.length === 0) {
    return (
      <Empty title={TEXTS.none}>
        <p>{EMPTY[of]}</p>
        {of === "document" ? (
          <div className="mt-3">
            <AddButton />
          </div>
        ) : null}
        <AddBreakpoint />
      </Empty>
    );
  }
  return (
    <div className="h-full overflow-y-auto pb-1">
      <div className="breakpoint-columns sticky top-0 z-10 min-h-8 border-line border-b bg-bg-1 px-2.5 text-fg-3 text-xs">
        <span />
        <span className="px-1.5">{TEXTS.columns.place}</span>
        <span className="px-2">{TEXTS.columns.condition}</span>
        <span className="col-span-3 flex items-center justify-between whitespace-nowrap pl-2">
          {TEXTS.columns.log}
          {of === "document" ? (
            <span className="flex">
              <AddButton quiet />
              <RemoveAll count={all.length} />
            </span>
          ) : null}
        </span>
      </div>
      <ul aria-label={TEXTS.list} data-testid="breakpoint-list">
        {all.map((listed) =>
          of === "document" ? (
            <BreakpointRow key={listed.breakpoint.id} listed={listed} />
          ) : (
            <RunBreakpointRow key={listed.breakpoint.id} listed={listed} />
          ),
        )}
      </ul>
      <AddBreakpoint />
    </div>
  );
}

const EMPTY: Record<BreakpointList["of"], string> = {
  document: TEXTS.howToSet,
  run: TEXTS.noneOfRun,
  inner: TEXTS.insideNode,
};

function AddButton({ quiet = false }: { quiet?: boolean }) {
  const { overlays } = useWorkspace();
  return (
    <Button
      kind={quiet ? "quiet" : "plain"}
      className={quiet ? "!h-6 px-1.5 text-xs" : ""}
      title={TEXTS.addHint}
      data-testid="breakpoint-add"
      onClick={() => overlays.showBreakpointForm(true)}
    >
      {quiet ? null : <Plus size={14} aria-hidden />} {TEXTS.add}
    </Button>
  );
}

function RemoveAll({ count }: { count: number }) {
  const { breakpoints } = useWorkspace();
  const remove = () => {
    const bringBack = breakpoints.removeAll();
    notify.info(TEXTS.removed(count), { label: TEXTS.undo, run: bringBack });
  };
  return (
    <Button kind="quiet" className="!h-6 px-1.5 text-xs" onClick={remove}>
      {TEXTS.removeAll}
    </Button>
  );
}
