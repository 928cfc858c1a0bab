import { CircleAlert } from "lucide-react";
import { useEffect, useState } from "react";
import { useStore } from "zustand";
import type { ProposalSummary, ShownProposal } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { Dialog, DialogButtons, DialogText, DialogTitle } from "@/design/dialogs/Dialog";
import { notify } from "@/design/dialogs/notify";
import { documentFlow, fileName } from "@/flow/document/flow-state";
import { HostError } from "@/ipc";
import { formatDate } from "@/run/values/format";
import { TEXTS } from "@/shell/texts";
import { useFlow, useWorkspace } from "@/workspace/context";
import { describeChanges } from "./version-changes";

/** The edits that agents propose: what each is for, what it changes, and the decision. */
export function ProposalsDialog() {
  const { proposals } = useWorkspace();
  const { open, list } = useStore(proposals.store);
  const hide = () => proposals.show(false);
  return (
    <Dialog open={open} onClose={hide} testId="proposals-dialog" className="flex max-h-[86vh] w-[640px] flex-col p-5">
      <DialogTitle className="font-semibold text-lg">{TEXTS.proposals}</DialogTitle>
      <DialogText className="mt-1 mb-3 text-fg-2 text-sm">{TEXTS.proposalsHint}</DialogText>
      <ul className="mb-4 flex min-h-0 flex-1 flex-col gap-2 overflow-y-auto">
        {list.map((proposal) => (
          <Row key={proposal.id} proposal={proposal} onDone={hide} />
        ))}
        {list.length === 0 ? <li className="text-fg-2">{TEXTS.noProposals}</li> : null}
      </ul>
      <DialogButtons actions={[]} cancelLabel={TEXTS.close} onCancel={hide} />
    </Dialog>
  );
}

function Row({ proposal, onDone }: { proposal: ProposalSummary; onDone: () => void }) {
  const { files, proposals } = useWorkspace();
  const isOfDocument = useFlow((state) => state.path === proposal.path);
  return (
    <li className="rounded-lg border border-line px-3 py-2" data-testid={`proposal-${proposal.id}`}>
      <span className="flex items-baseline gap-2">
        <b className="min-w-0 truncate font-semibold" title={proposal.path}>
          {proposal.name || fileName(proposal.path)}
        </b>
        <span className="shrink-0 text-fg-3 text-xs">{formatDate(proposal.at)}</span>
      </span>
      {proposal.note ? <p className="mt-0.5 whitespace-pre-wrap text-sm">{proposal.note}</p> : null}
      {isOfDocument ? (
        <OfDocument proposal={proposal} onDone={onDone} />
      ) : (
        <span className="mt-2 flex justify-end gap-1.5">
          <Button onClick={() => void proposals.drop(proposal.id)}>{TEXTS.dropProposal}</Button>
          <Button onClick={() => void files.openPath(proposal.path)}>{TEXTS.openItsFlow}</Button>
        </span>
      )}
    </li>
  );
}

/** What a proposed edit changes in the document as it is now. */
function OfDocument({ proposal, onDone }: { proposal: ProposalSummary; onDone: () => void }) {
  const { host, editor, proposals, canvasComparison } = useWorkspace();
  const current = useFlow(documentFlow);
  const [shown, setShown] = useState<ShownProposal & { changes: string }>();
  useEffect(() => {
    const read = async () => {
      const found = await proposals.read(proposal.id);
      const diff = await host.call("flow.diff", { before: current, after: found.flow });
      setShown({ ...found, changes: describeChanges(diff, current, found.flow) });
    };
    read().catch((thrown) => notify.error(HostError.from(thrown)));
  }, [host, proposals, proposal.id, current]);
  if (!shown) return <p className="mt-1 text-fg-3 text-xs">{TEXTS.opening}</p>;
  const { flow, diagnostics, changes, isOutdated } = shown;
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const look = async () => {
    editor.leaveView();
    editor.closeInner(0);
    onDone();
    await canvasComparison.showFlow({
      title: TEXTS.proposalOn(formatDate(proposal.at)),
      other: flow,
      otherIs: "after",
      proposal: proposal.id,
    });
  };
  return (
    <>
      <p className="mt-0.5 line-clamp-3 text-fg-2 text-xs" title={changes}>
        {changes || TEXTS.sameAsNow}
      </p>
      {isOutdated ? <p className="mt-1 text-wait text-xs">{TEXTS.proposalOutdated}</p> : null}
      {errors.length > 0 ? (
        <p className="mt-1 flex gap-1.5 text-bad text-xs" title={errors.map(({ message }) => message).join("\n")}>
          <CircleAlert size={13} className="mt-px shrink-0" aria-hidden />
          {TEXTS.proposalProblems(errors.length, errors[0]?.message ?? "")}
        </p>
      ) : null}
      <span className="mt-2 flex justify-end gap-1.5">
        <Button onClick={() => void proposals.drop(proposal.id)}>{TEXTS.dropProposal}</Button>
        <Button data-testid="proposal-look" onClick={() => void look()}>
          {TEXTS.compareOnCanvas}
        </Button>
        <Button
          kind="main"
          onClick={() => {
            editor.leaveView();
            onDone();
            void proposals.accept(proposal.id, flow);
          }}
        >
          {TEXTS.acceptProposal}
        </Button>
      </span>
    </>
  );
}
