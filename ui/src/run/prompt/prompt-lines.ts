/** The prompt of a model call in lines, as the lens of the host says it: what was left out, blocks and messages. */
import type { Attachment, BlockText, LeftOut, LensCall, SentMessage } from "@/bindings";
import { formatJson } from "@/design/json/exact-json";

export type Line =
  | { kind: "message"; key: string; text: string; tokens?: number; message: SentMessage }
  /** A block of the user message, with the images and files that are sent after it. */
  | {
      kind: "block";
      key: string;
      text: string;
      tokens: number;
      block: BlockText;
      /** Where its text begins in that of the message. */
      offset: number;
      attachments?: readonly Attachment[];
    }
  /** Messages that the journal does not have. */
  | { kind: "missing"; key: string; count: number; tokens: number }
  /** Messages that were not sent. What the cap of a block left out is part of the block. */
  | { kind: "leftOut"; key: string; leftOut: Exclude<LeftOut, { kind: "block" }> };

/** Blocks of a message are separated by a blank line. */
const BLOCK_SEPARATOR_LENGTH = "\n\n".length;

/** The lines of a prompt in order. What was left out stands behind the system instructions. */
export function linesOf({ messages, leftOut }: LensCall): Line[] {
  const left = leftOut.flatMap((one, index): Line[] =>
    one.kind === "block" ? [] : [{ kind: "leftOut", key: `left/${index}`, leftOut: one }],
  );
  const lines = messages.map((message, index) => linesOfMessage(message, `${index}`));
  const start = messages.findIndex(({ part }) => part !== "system");
  return lines.toSpliced(start < 0 ? lines.length : start, 0, left).flat();
}

function linesOfMessage(message: SentMessage, key: string): Line[] {
  const { text, tokens, missing, blocks = [], toolCalls = [], attachments } = message;
  if (missing !== undefined) return [{ kind: "missing", key, count: missing, tokens: tokens ?? 0 }];
  if (blocks.length > 0) {
    let end = 0;
    return blocks.map((block, index) => {
      const [offset, { text, tokens }] = [end, block];
      end = offset + text.length + BLOCK_SEPARATOR_LENGTH;
      const line = { kind: "block", key: `${key}/${index}`, text, tokens, block, offset } as const;
      return index === blocks.length - 1 && attachments ? { ...line, attachments } : line;
    });
  }
  const calls = toolCalls.map((call) => `→ ${call.name} ${formatJson(call.arguments)}`);
  return [{ kind: "message", key, text: [text, ...calls].filter(Boolean).join("\n"), tokens, message }];
}
