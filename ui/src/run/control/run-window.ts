/** What runs ask of the window around them. */
import type { GrantAnswer, GrantRequest } from "@/run/grants/grant-requests";
import type { BillRequest, ForkChoice } from "./rerun";

export type RunWindow = {
  showProblems(): void;
  /** A run is about to start, where the focus is now. */
  runStarts(): void;
  /** Shows the question that a run has just asked. `pause` is its `pauseKey`. */
  showQuestion(pause: string): void;
  /** A person opens a run to answer it: what is typed until its question is there belongs to the answer. Call the result once it is opened. */
  awaitAnswer(): () => void;
  /** Asks what the flow may use. Nothing if the person cancels. */
  askGrants(request: GrantRequest): Promise<GrantAnswer | undefined>;
  /** Shows what a fork reuses and buys. What it asks the world for if the person wants it, or undefined. */
  askBill(request: BillRequest): Promise<ForkChoice | undefined>;
  /** The button to offer with an error; nothing when no part of the window helps. */
  errorAction(error: { code: string; message: string }): { label: string; run: () => void } | undefined;
};
