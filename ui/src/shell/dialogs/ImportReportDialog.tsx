import type { ImportedEdge, ImportedNode, ImportReport, OtherGraph } from "@/bindings";
import { Button } from "@/design/controls/Button";
import {
  Dialog,
  type DialogAction,
  DialogButtons,
  DialogText,
  DialogTitle,
  useSafeButton,
} from "@/design/dialogs/Dialog";
import { InlineCode } from "@/design/text/InlineCode";
import { documentFlow } from "@/flow/document/flow-state";
import { compareImport } from "@/shell/import/compare-import";
import { importSteps, nodeOfStep } from "@/shell/import/import-steps";
import { showImportStep } from "@/shell/import/show-import-step";
import { TEXTS } from "@/shell/texts";
import { useFlow, useOverlays, useWorkspace } from "@/workspace/context";

const TOOLS: Readonly<Record<ImportReport["format"], string>> = {
  dify: "Dify",
  flowise: "Flowise",
  langflow: "Langflow",
  n8n: "n8n",
  promptflow: "Prompt Flow",
  rivet: "Rivet",
};

/** Lists the results for the nodes and edges of an imported file, with links to nodes of the flow. */
export function ImportReportDialog() {
  const workspace = useWorkspace();
  const { overlays } = workspace;
  const safe = useSafeButton();
  const walkThrough = (report: ImportReport): DialogAction[] => {
    const count = importSteps(report).length;
    const run = () => showImportStep(workspace, 0);
    return count === 0
      ? []
      : [{ id: "walk", label: TEXTS.walkThrough(count), kind: "main", testId: "import-walk", run }];
  };
  const compare: DialogAction = {
    id: "compare",
    label: TEXTS.compareWithExecution,
    kind: "plain",
    testId: "import-compare",
    run: () => void compareImport(workspace),
  };
  const report = useFlow((state) => state.importReport);
  const isOpen = useOverlays((state) => state.importReport) && report !== undefined;
  const hide = () => overlays.showImportReport(false);
  return (
    <Dialog open={isOpen} onClose={hide} testId="import-dialog" initialFocus={safe} className="w-[620px] p-5">
      {report && (
        <>
          <DialogTitle className="mb-1 font-semibold text-lg">{TEXTS.importedFrom(TOOLS[report.format])}</DialogTitle>
          <Report report={report} />
        </>
      )}
      <DialogButtons
        safe={safe}
        actions={report ? [...walkThrough(report), compare] : []}
        cancelLabel={TEXTS.close}
        onCancel={hide}
      />
    </Dialog>
  );
}

function Report({ report: { nodes, edges, notes, otherGraphs = [] } }: { report: ImportReport }) {
  const lostEdges = edges.filter(({ lost }) => lost !== undefined);
  const of = (outcome: ImportedNode["outcome"]) => nodes.filter((node) => node.outcome === outcome);
  const same = of("same");
  return (
    <>
      <DialogText className="mb-3 text-fg-2">
        {TEXTS.importSummary(same.length, nodes.length, lostEdges.length, edges.length)}
      </DialogText>
      <div className="mb-4 flex max-h-[50vh] flex-col gap-3 overflow-y-auto">
        {notes.length > 0 && (
          <ul className="list-disc pl-5">
            {notes.map((note) => (
              <li key={note}>
                <InlineCode text={note} />
              </li>
            ))}
          </ul>
        )}
        <OtherGraphs graphs={otherGraphs} />
        <Nodes title={TEXTS.importPlaceholders} nodes={of("placeholder")} />
        <Nodes title={TEXTS.importDiffers} nodes={of("differs")} />
        <Nodes title={TEXTS.importLost} nodes={of("lost")} />
        <Edges edges={lostEdges} nodes={nodes} />
        {same.length > 0 && (
          <section>
            <h3 className="mb-1 font-medium">{TEXTS.importSame}</h3>
            <p className="flex flex-wrap gap-x-3 gap-y-0.5">
              {same.map((node) => (
                <NodeLink key={node.id} node={node} />
              ))}
            </p>
          </section>
        )}
      </div>
    </>
  );
}

/** The graphs of the file that the flow does not have. Each is imported as a flow of its own. */
function OtherGraphs({ graphs }: { graphs: readonly OtherGraph[] }) {
  const { files, overlays } = useWorkspace();
  if (graphs.length === 0) return null;
  return (
    <section>
      <h3 className="mb-1 font-medium">{TEXTS.importOtherGraphs}</h3>
      <ul className="flex flex-col gap-1">
        {graphs.map(({ id, name, nodes }) => (
          <li key={id} className="flex items-center gap-2 rounded-lg border border-line py-1 pr-1 pl-3">
            <span className="min-w-0 truncate" title={name}>
              {name}
            </span>
            <span className="text-fg-3 text-xs">{TEXTS.nodeCount(nodes)}</span>
            <Button
              className="ml-auto"
              aria-label={TEXTS.importGraph(name)}
              onClick={() => {
                overlays.showImportReport(false);
                void files.importGraph(id);
              }}
            >
              {TEXTS.importOne}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Nodes({ title, nodes }: { title: string; nodes: readonly ImportedNode[] }) {
  if (nodes.length === 0) return null;
  return (
    <section>
      <h3 className="mb-1 font-medium">{title}</h3>
      <ul className="flex flex-col gap-1">
        {nodes.map((node) => (
          <li key={node.id} className="rounded-lg border border-line px-3 py-1.5">
            <NodeLink node={node} /> <span className="text-fg-3 text-xs">{node.kind}</span>
            <span className="block text-fg-2">
              <InlineCode text={node.lost.join(" ")} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Edges({ edges, nodes }: { edges: readonly ImportedEdge[]; nodes: readonly ImportedNode[] }) {
  if (edges.length === 0) return null;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const end = (id: string) => <NodeLink node={byId.get(id) ?? { id, name: id, nodes: [], outcome: "lost" }} />;
  return (
    <section>
      <h3 className="mb-1 font-medium">{TEXTS.importLostEdges}</h3>
      <ul className="flex flex-col gap-1">
        {edges.map((edge, index) => (
          // Two edges may have the same ends; the list never changes.
          // biome-ignore lint/suspicious/noArrayIndexKey: there is no other key
          <li key={index} className="rounded-lg border border-line px-3 py-1.5">
            {end(edge.source)} → {end(edge.target)}
            <span className="block text-fg-2">
              <InlineCode text={edge.lost} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

type LinkedNode = Pick<ImportedNode, "id" | "name" | "nodes" | "outcome">;

/** The name of a node of the file. Selects and shows the node that it became, if there is one and it is still in the flow. */
function NodeLink({ node: { id, name, nodes, outcome } }: { node: LinkedNode }) {
  const { canvas, editor, layout, overlays } = useWorkspace();
  const shown = name || id;
  const node = useFlow((state) => nodeOfStep({ name: shown, outcome, nodes }, documentFlow(state)));
  if (node === undefined) return <b className="font-medium">{shown}</b>;
  return (
    <button
      type="button"
      className="font-medium text-accent hover:underline"
      title={TEXTS.showImported(shown)}
      onClick={() => {
        overlays.showImportReport(false);
        layout.closePage();
        editor.leaveView();
        editor.closeInner(0);
        canvas.revealOnceDrawn({ node, center: true });
      }}
    >
      {shown}
    </button>
  );
}
