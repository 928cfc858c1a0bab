/** The expressions that a person watches in flows. */
import type { FlowEditor } from "@/flow/document/editor";
import { KeptByFlow, type Memory } from "./kept-by-flow";

export class WatchStore extends KeptByFlow<string> {
  constructor(editor: FlowEditor, memory: Memory) {
    super("watches", editor, memory);
  }

  /** Watches an expression in the shown flow. One that is watched already stays where it is. */
  add(expression: string): void {
    if (!this.current.includes(expression)) this.putCurrent([...this.current, expression]);
  }

  remove(expression: string): void {
    this.putCurrent(this.current.filter((one) => one !== expression));
  }
}
