import type { ImportedEdge, ImportedNode, ImportReport } from "@/bindings";
import { Dialog, DialogButtons, DialogText, DialogTitle } from "@/design/Dialog";
import { useOverlays, useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

const TOOLS: Readonly<Record<ImportReport["format"], string>> = {
  dify: "Dify",
  flowise: "Flowise",
  langflow: "Langflow",
  n8n: "n8n",
  rivet: "Rivet",
};

/** Says what became of the nodes and edges of an imported file. */
export function ImportReportDialog() {
  const { overlays } = useWorkspace();
  const report = useOverlays((state) => state.importReport);
  const hide = () => overlays.hideImport();
  return (
    <Dialog open={report !== undefined} onClose={hide} testId="import-dialog" className="w-[620px] p-5">
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
            <b className="font-medium">{node.name || node.id}</b> <span className="text-fg-3 text-xs">{node.kind}</span>
            <span className="block text-fg-2">{node.lost.join(" ")}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Edges({ edges, nodes }: { edges: readonly ImportedEdge[]; nodes: readonly ImportedNode[] }) {
  if (edges.length === 0) return null;
  const names = new Map(nodes.map((node) => [node.id, node.name]));
  const name = (id: string) => names.get(id) || id;
  return (
    <section>
      <h3 className="mb-1 font-medium">{TEXTS.importLostEdges}</h3>
      <ul className="flex flex-col gap-1">
        {edges.map((edge, index) => (
          // Two edges may have the same ends; the list never changes.
          // biome-ignore lint/suspicious/noArrayIndexKey: there is no other key
          <li key={index} className="rounded-lg border border-line px-3 py-1.5">
            {name(edge.source)} → {name(edge.target)}
            <span className="block text-fg-2">{edge.reason}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
