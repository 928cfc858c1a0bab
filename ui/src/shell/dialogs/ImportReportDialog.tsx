import type { ImportedEdge, ImportedNode, ImportReport } from "@/bindings";
import { Dialog, DialogButtons, DialogText, DialogTitle } from "@/design/dialogs/Dialog";
import { documentFlow } from "@/flow/document/flow-state";
import { TEXTS } from "@/shell/texts";
import { useFlow, useOverlays, useWorkspace } from "@/workspace/context";

const TOOLS: Readonly<Record<ImportReport["format"], string>> = {
  dify: "Dify",
  flowise: "Flowise",
  langflow: "Langflow",
  n8n: "n8n",
  rivet: "Rivet",
};

/** Lists the results for the nodes and edges of an imported file, with links to nodes of the flow. */
export function ImportReportDialog() {
  const { overlays } = useWorkspace();
  const report = useFlow((state) => state.importReport);
  const isOpen = useOverlays((state) => state.importReport) && report !== undefined;
  const hide = () => overlays.showImportReport(false);
  return (
    <Dialog open={isOpen} onClose={hide} testId="import-dialog" className="w-[620px] p-5">
      {report && (
        <>
          <DialogTitle className="mb-1 font-semibold text-lg">{TEXTS.importedFrom(TOOLS[report.format])}</DialogTitle>
          <Report report={report} />
        </>
      )}
      <DialogButtons actions={[]} cancelLabel={TEXTS.close} onCancel={hide} />
    </Dialog>
  );
}

function Report({ report: { nodes, edges, notes } }: { report: ImportReport }) {
  const lostEdges = edges.filter((edge) => edge.outcome === "lost");
  const incomplete = (outcome: ImportedNode["outcome"]) =>
    nodes.filter((node) => node.outcome === outcome && node.lost.length > 0);
  const translated = nodes.filter((node) => node.outcome === "translated").length;
  const isComplete = nodes.every((node) => node.lost.length === 0) && lostEdges.length + notes.length === 0;
  return (
    <>
      <DialogText className="mb-3 text-fg-2">
        {TEXTS.importSummary(translated, nodes.length, lostEdges.length, edges.length)}{" "}
        {isComplete && TEXTS.importComplete}
      </DialogText>
      <div className="mb-4 flex max-h-[50vh] flex-col gap-3 overflow-y-auto">
        {notes.length > 0 && (
          <ul className="list-disc pl-5">
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        )}
        <Nodes title={TEXTS.importPlaceholders} nodes={incomplete("placeholder")} />
        <Nodes title={TEXTS.importLost} nodes={incomplete("lost")} />
        <Nodes title={TEXTS.importPartly} nodes={incomplete("translated")} />
        <Edges edges={lostEdges} nodes={nodes} />
      </div>
    </>
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
            <span className="block text-fg-2">{node.lost.join(" ")}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Edges({ edges, nodes }: { edges: readonly ImportedEdge[]; nodes: readonly ImportedNode[] }) {
  if (edges.length === 0) return null;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const end = (id: string) => <NodeLink node={byId.get(id) ?? { id, name: id, nodes: [] }} />;
  return (
    <section>
      <h3 className="mb-1 font-medium">{TEXTS.importLostEdges}</h3>
      <ul className="flex flex-col gap-1">
        {edges.map((edge, index) => (
          // Two edges may have the same ends; the list never changes.
          // biome-ignore lint/suspicious/noArrayIndexKey: there is no other key
          <li key={index} className="rounded-lg border border-line px-3 py-1.5">
            {end(edge.source)} → {end(edge.target)}
            <span className="block text-fg-2">{edge.reason}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The name of a node of the file. Selects and shows the node that it became, if there is one and it is still in the flow. */
function NodeLink({ node: { id, name, nodes } }: { node: Pick<ImportedNode, "id" | "name" | "nodes"> }) {
  const { canvas, editor, layout, overlays } = useWorkspace();
  const node = useFlow((state) => nodes.find((one) => Object.hasOwn(documentFlow(state).nodes, one)));
  const shown = name || id;
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
