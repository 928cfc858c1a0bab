/** Which values hold where a node or the flow leaves them open. The host resolves them: there is one rule. */
import { useEffect, useState } from "react";
import type { NodeId, ResolvedConfig } from "@/bindings";
import { displayedFlow } from "@/flow/document/flow-state";
import { useFlow, useSettings, useWorkspace } from "@/workspace/context";
import { CONFIG_FIELDS, pathOf, valueAt } from "./config-fields";

/** Typing in a row requests once. */
const DELAY_MS = 150;

const IN_SETTINGS = CONFIG_FIELDS.flatMap(({ settings }) => (settings === undefined ? [] : [pathOf(settings)]));

/** The values of a node; of the flow, without one. Empty until the host answers. */
export function useResolvedConfig(node: NodeId | undefined): readonly ResolvedConfig[] {
  const { host } = useWorkspace();
  const flow = useFlow(displayedFlow);
  const settings = useSettings((all) => JSON.stringify(IN_SETTINGS.map((path) => valueAt(all, path))));
  const [resolved, setResolved] = useState<readonly ResolvedConfig[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the host has the settings; another value of them is another answer
  useEffect(() => {
    let current = true;
    const timer = setTimeout(() => {
      host.call("config.explain", { flow, node }).then(
        (reply) => current && setResolved(reply),
        () => undefined, // A form without hints is still a form.
      );
    }, DELAY_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [host, flow, node, settings]);
  return resolved;
}
