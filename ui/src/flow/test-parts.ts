/** For tests: an editor with its files, on stores of its own. */
import { QuestionStore } from "@/design/dialogs/question-store";
import type { Host } from "@/ipc";
import { testHost } from "@/ipc/test-host";
import { FlowEditor } from "./document/editor";
import { DraftStore } from "./files/draft-store";
import { FlowFiles } from "./files/files";
import { OpenDocuments } from "./files/open-documents";
import { NodeTypeRegistry } from "./node-types/node-types";

export type FlowParts = ReturnType<typeof createFlowParts>;

export function createFlowParts(overrides?: Partial<Host>) {
  const host = testHost(overrides);
  const questions = new QuestionStore();
  const editor = new FlowEditor();
  const documents = new OpenDocuments(editor);
  const drafts = new DraftStore(host, editor, documents);
  return {
    host,
    questions,
    editor,
    documents,
    drafts,
    nodeTypes: new NodeTypeRegistry(host),
    files: new FlowFiles({
      host,
      editor,
      documents,
      drafts,
      questions,
      showImport: () => undefined,
      onSaved: () => undefined,
    }),
  };
}
