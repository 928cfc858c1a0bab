/** A passage of a document, without its text. */
import type { RetrievedChunk } from "@/bindings";

export type Passage = Omit<RetrievedChunk, "text">;
