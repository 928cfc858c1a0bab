import { useCallback, useEffect, useState } from "react";
import type { ExampleFlow, RecentFlow, TemplateSummary } from "@/bindings";
import { notify } from "@/design/dialogs/notify";
import { HostError } from "@/ipc";
import { useWorkspace } from "@/workspace/context";

type FlowLists = {
  recent: readonly RecentFlow[];
  templates: readonly TemplateSummary[];
  examples: readonly ExampleFlow[];
};

/** The flows that one can begin with. `reload` asks the host again. */
export function useFlowLists(): FlowLists & { reload: () => void } {
  const { host } = useWorkspace();
  const [lists, setLists] = useState<FlowLists>({ recent: [], templates: [], examples: [] });
  const reload = useCallback(() => {
    const show = <Key extends keyof FlowLists>(key: Key, reply: Promise<FlowLists[Key]>) =>
      reply.then(
        (list) => setLists((before) => ({ ...before, [key]: list })),
        (thrown) => notify.error(HostError.from(thrown)),
      );
    void show("recent", host.call("flow.recent", {}));
    void show("templates", host.call("templates.list", {}));
    void show("examples", host.call("flow.examples", {}));
  }, [host]);
  useEffect(reload, [reload]);
  return { ...lists, reload };
}
