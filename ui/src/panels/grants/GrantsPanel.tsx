import { useCallback, useEffect } from "react";
import type { FlowGrants, GrantRule } from "@/bindings";
import { Button } from "@/design/controls/Button";
import { notify } from "@/design/dialogs/notify";
import { GRANT_ICONS } from "@/design/icons/grant-icons";
import { Empty } from "@/design/text/Empty";
import { documentFlow } from "@/flow/document/flow-state";
import { HostError } from "@/ipc";
import { describePin, needsByKind } from "@/run/grants/grants";
import { useFlow, useWorkspace } from "@/workspace/context";
import { LoadError, useLoaded } from "../Loaded";
import { NeedItem } from "./NeedItem";
import { TEXTS } from "./texts";

/** How long the flow has to stay as it is before its needs are computed again. */
const QUIET_MS = 300;

/** The needs of the open flow, their decisions, and the tools that its MCP servers are pinned to. */
export function GrantsPanel() {
  const { host, queryInvalidation } = useWorkspace();
  const flow = useFlow(documentFlow);
  const path = useFlow((state) => state.path);
  const show = useCallback(() => host.call("grants.show", { flow, path }), [host, flow, path]);
  const { value: grants, error, load } = useLoaded(show);
  useEffect(() => {
    const timer = setTimeout(() => void load(), QUIET_MS);
    return () => clearTimeout(timer);
  }, [load]);
  // The question before a run keeps decisions, too.
  useEffect(() => queryInvalidation.subscribe("grants.show", () => void load()), [queryInvalidation, load]);
  const change = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (thrown) {
      notify.error(HostError.from(thrown));
      // What was refused is shown as the host has it.
      await load();
    }
  };
  const decide = (rule: GrantRule) => {
    if (path !== undefined) void change(() => host.call("grants.set", { path, rules: [rule] }));
  };
  const revoke = (target: string) => {
    if (path !== undefined) void change(() => host.call("grants.revoke", { path, targets: [target] }));
  };
  return (
    <div className="h-full overflow-y-auto p-3" data-testid="grants-panel">
      <h2 className="mb-1 font-semibold">{TEXTS.title}</h2>
      <p className="mb-3 text-fg-2 text-xs">{TEXTS.intro}</p>
      {error ? (
        <LoadError title={TEXTS.couldntLoad} error={error} tryAgain={TEXTS.tryAgain} onTryAgain={() => void load()} />
      ) : grants === undefined ? (
        <Empty title={TEXTS.loading} />
      ) : (
        <Grants grants={grants} onDecide={decide} onRevoke={revoke} />
      )}
    </div>
  );
}

type GrantsProps = { grants: FlowGrants; onDecide: (rule: GrantRule) => void; onRevoke: (target: string) => void };

function Grants({ grants: { needs, unused, pins, hasFile }, onDecide, onRevoke }: GrantsProps) {
  return (
    <>
      {hasFile || needs.length === 0 ? null : <p className="mb-3 text-wait text-xs">{TEXTS.noFile}</p>}
      {needs.length === 0 ? (
        <Empty title={TEXTS.nothingNeeded}>
          <p>{TEXTS.nothingNeededHelp}</p>
        </Empty>
      ) : null}
      {needsByKind(needs).map(({ kind, needs: ofKind }) => {
        const Icon = GRANT_ICONS[kind];
        return (
          <section key={kind} className="mb-3" aria-label={TEXTS.kinds[kind]}>
            <h3 className="mb-1 flex items-center gap-1.5 font-medium text-fg-2 text-xs">
              <Icon size={13} aria-hidden />
              {TEXTS.kinds[kind]}
            </h3>
            <ul className="flex flex-col gap-1.5">
              {ofKind.map((status) => (
                <NeedItem
                  key={status.need.target}
                  status={status}
                  editable={hasFile}
                  onDecide={onDecide}
                  onRevoke={onRevoke}
                />
              ))}
            </ul>
          </section>
        );
      })}
      {unused.length > 0 ? (
        <section className="mb-3" aria-label={TEXTS.unused}>
          <h3 className="mb-1 font-medium text-fg-2 text-xs">{TEXTS.unused}</h3>
          <ul className="flex flex-col gap-1.5">
            {unused.map((rule) => (
              <li
                key={rule.target}
                className="flex items-center gap-2 rounded-lg border border-line bg-bg-2 p-2"
                data-testid={`unused-${rule.target}`}
              >
                <span className="min-w-0 flex-1 break-all font-mono text-xs">{rule.target}</span>
                <span className="text-fg-3 text-xs">{TEXTS.decisions[rule.decision]}</span>
                <Button aria-label={TEXTS.revokeRule(rule.target)} onClick={() => onRevoke(rule.target)}>
                  {TEXTS.revoke}
                </Button>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      {pins.length > 0 ? (
        <section aria-label={TEXTS.pins}>
          <h3 className="mb-1 font-medium text-fg-2 text-xs">{TEXTS.pins}</h3>
          <ul className="flex flex-col gap-1.5">
            {pins.map((pin) => (
              <li
                key={pin.server}
                className="rounded-lg border border-line bg-bg-2 p-2"
                data-testid={`pin-${pin.server}`}
              >
                <p className="break-all font-medium text-sm">{pin.server}</p>
                <p className="text-fg-2 text-xs">{describePin(pin.pin)}</p>
                {pin.changed ? <p className="text-wait text-xs">{TEXTS.pinChanged}</p> : null}
              </li>
            ))}
          </ul>
        </section>
      ) : null}
    </>
  );
}
