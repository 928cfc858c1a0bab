/** For tests: an editor with its files, on stores of its own. */
import { QuestionStore } from "@/design/question-store";
import type { Host } from "@/ipc";
import { testHost } from "@/ipc/test-host";
import { DraftStore } from "./draft-store";
import { FlowEditor } from "./editor";
import { FlowFiles } from "./files";
import { NodeTypeRegistry } from "./node-types";
import { OpenDocuments } from "./open-documents";

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
    files: new FlowFiles({ host, editor, documents, drafts, questions, showImport: () => undefined }),
  };
}
