/** What the person is asked about a flow before it runs. */
import type { GrantRule, NeedStatus } from "@/bindings";

export type GrantRequest = {
  flowName: string;
  /** Whether rules can be kept: the flow has a file. */
  hasFile: boolean;
  needs: readonly NeedStatus[];
};

export type GrantAnswer = { kept: GrantRule[]; once: GrantRule[] };
