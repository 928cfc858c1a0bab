import { useStore } from "zustand";
import type { Attachment, NodeId } from "@/bindings";
import { ATTACH_PORT } from "@/bindings/constants";
import { AttachButton, AttachmentField } from "@/workspace/attachments/AttachmentField";
import { useAttachments } from "@/workspace/attachments/useAttachments";
import { useFlow, useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

const NONE: readonly Attachment[] = [];

/** The images and files that a node of the document gets in its next runs, where no edge gives it any. */
export function RunFilesSection({ nodeId }: { nodeId: NodeId }) {
  const takesFiles = useFlow(
    ({ checked, flow, outer }) =>
      outer === undefined &&
      checked.ports[nodeId]?.inputs.some(({ name }) => name === ATTACH_PORT) === true &&
      !Object.values(flow.edges).some(({ target, targetInput }) => target === nodeId && targetInput === ATTACH_PORT),
  );
  return takesFiles ? <RunFilesField nodeId={nodeId} /> : null;
}

function RunFilesField({ nodeId }: { nodeId: NodeId }) {
  const { runs } = useWorkspace();
  const document = useFlow(({ key }) => key);
  const attachments = useStore(runs.files.store, (all) => all[document]?.[nodeId] ?? NONE);
  const files = useAttachments(attachments, (change) => runs.files.change(document, nodeId, change));
  return (
    <section className="my-3" aria-label={TEXTS.runFiles} data-testid="run-files">
      <AttachmentField files={files}>
        <div className="flex items-center gap-2">
          <span className="min-w-0 flex-1">
            <span className="block font-medium text-sm">{TEXTS.runFiles}</span>
            <span className="block text-fg-2 text-xs">{TEXTS.runFilesHint}</span>
          </span>
          <AttachButton files={files} busy={files.storing} />
        </div>
      </AttachmentField>
    </section>
  );
}
