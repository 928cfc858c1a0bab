import { useStore } from "zustand";
import type { ImportComparison } from "@/bindings";
import { Dialog, DialogText, DialogTitle } from "@/design/dialogs/Dialog";
import { type ComparedImport, departs } from "@/run/comparison/canvas-comparison";
import { formatIteration } from "@/run/fold/epoch";
import { TEXTS } from "@/shell/texts";
import { useWorkspace } from "@/workspace/context";
import { Beside } from "./Beside";
import { ComparisonButtons } from "./ComparisonButtons";

type Compared = ImportComparison["nodes"][number];

/** An imported flow beside an execution of the original, node by node of the file. */
export function ImportComparisonDialog() {
  const { importComparisons } = useWorkspace();
  const { request, settle } = useStore(importComparisons.store);
  return (
    <Dialog
      open={request !== undefined}
      onClose={() => settle()}
      testId="import-comparison-dialog"
      className="flex max-h-[86vh] w-[680px] flex-col"
    >
      {request ? <Comparison compared={request} onDone={() => settle()} /> : null}
    </Dialog>
  );
}

function Comparison({ compared, onDone }: { compared: ComparedImport; onDone: () => void }) {
  const { runs, canvas, canvasComparison } = useWorkspace();
  const { title, comparison } = compared;
  const onCanvas = async (node?: Compared) => {
    onDone();
    canvasComparison.showImport(compared);
    await runs.open(node?.run ?? comparison.run);
    if (!node) return;
    const isShown = node.run !== undefined || node.subflows === undefined;
    canvas.revealOnceDrawn({ node: isShown ? node.node : node.subflows?.[0] });
  };
  const of = (state: Compared["state"]) => comparison.nodes.filter((node) => node.state === state);
  return (
    <>
      <div className="px-5 pt-4 pb-3">
        <DialogTitle className="truncate font-semibold text-lg">{TEXTS.besideExecution(title)}</DialogTitle>
        <DialogText className="mt-1 text-fg-2 text-sm">{TEXTS.departures(comparison.departures)}</DialogText>
        {comparison.failure === undefined ? null : (
          <p className="mt-1 text-bad text-sm">{TEXTS.trialFailed(comparison.failure)}</p>
        )}
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto border-line border-t px-5 py-3">
        <ul className="mb-3 flex flex-col gap-2" data-testid="departures">
          {comparison.nodes.filter(departs).map((node) => (
            <li key={keyOf(node)} className="rounded-lg border border-line px-3 py-2">
              <button
                type="button"
                className="rounded text-left font-medium hover:text-accent"
                onClick={() => void onCanvas(node)}
              >
                {nameOf(node)}
              </button>
              <Beside
                left={{ name: TEXTS.recorded, ...("recorded" in node ? { value: node.recorded } : {}) }}
                right={{ name: TEXTS.here, ...("here" in node ? { value: node.here } : {}) }}
              />
            </li>
          ))}
        </ul>
        <Names title={TEXTS.importSame} nodes={of("same")} />
        <Names title={TEXTS.deliversRecorded} nodes={of("given")} />
        <Names title={TEXTS.notCompared} nodes={of("notCompared")} />
      </div>
      <ComparisonButtons testId="import-comparison-on-canvas" onCanvas={() => void onCanvas()} onClose={onDone} />
    </>
  );
}

function Names({ title, nodes }: { title: string; nodes: readonly Compared[] }) {
  if (nodes.length === 0) return null;
  return (
    <section className="mb-3">
      <h3 className="mb-1 font-medium text-sm">{title}</h3>
      <ul className="flex flex-wrap gap-x-3 gap-y-0.5 text-fg-2 text-sm">
        {nodes.map((node) => (
          <li key={keyOf(node)}>
            {nameOf(node)}
            {node.state === "notCompared" ? `: ${node.reason}` : ""}
          </li>
        ))}
      </ul>
    </section>
  );
}

function nameOf({ name, epoch }: Compared): string {
  return epoch === undefined ? name : TEXTS.nameInIteration(name, formatIteration(epoch));
}

/** Nodes of the file may have the same name, and be parts of the same node of the flow. */
function keyOf({ name, subflows, node }: Compared): string {
  return [...(subflows ?? []), node, name].join("/");
}
