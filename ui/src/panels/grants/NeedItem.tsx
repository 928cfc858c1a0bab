import type { GrantDecision, GrantRule, NeedStatus } from "@/bindings";
import { Select } from "@/design/controls/Select";
import { ruleOf } from "@/run/grants/grants";
import { NeedSummary, needName } from "./NeedSummary";
import { TEXTS } from "./texts";

const DECISIONS: readonly GrantDecision[] = ["allow", "ask", "deny"];

type Props = {
  status: NeedStatus;
  /** Whether rules can be kept for the flow. */
  editable: boolean;
  onDecide: (rule: GrantRule) => void;
  onRevoke: (target: string) => void;
};

/** A need, and the decision about it. */
export function NeedItem({ status, editable, onDecide, onRevoke }: Props) {
  const { need, state, rule } = status;
  const name = needName(status);
  const decision = state === "decided" ? rule?.decision : undefined;
  const isOwn = rule?.target === need.target;
  const options = [
    { id: "none" as const, label: TEXTS.decisions.none },
    ...DECISIONS.map((id) => ({ id, label: TEXTS.decisions[id] })),
  ];
  const choose = (chosen: GrantDecision | "none") => {
    if (chosen !== "none") onDecide(ruleOf(status, chosen, rule?.untrusted));
    else if (isOwn) onRevoke(need.target);
  };
  return (
    <li
      className="rounded-lg border border-line bg-bg-2 p-2"
      data-testid={`grant-${need.target}`}
      data-state={state}
      data-decision={decision ?? "none"}
    >
      <NeedSummary status={status} />
      {editable ? (
        <Select
          className="mt-1.5 w-full"
          label={TEXTS.decisionAbout(name)}
          options={options}
          value={decision ?? "none"}
          onChange={choose}
          testId={`decision-${need.target}`}
        />
      ) : null}
      {rule && !isOwn && state === "decided" ? (
        <p className="mt-1 break-all text-fg-3 text-xs">{TEXTS.byRule(rule.target)}</p>
      ) : null}
      {editable && decision === "allow" && need.kind !== "command" ? (
        <label className="mt-1.5 flex items-center gap-1.5 text-fg-2 text-xs">
          <input
            type="checkbox"
            aria-label={TEXTS.untrustedFor(name)}
            checked={rule?.untrusted ?? false}
            onChange={(event) => onDecide(ruleOf(status, "allow", event.target.checked))}
          />
          {TEXTS.untrusted}
        </label>
      ) : null}
    </li>
  );
}
