/** A list of flows that one can begin with. */
import { useEffect, useState } from "react";
import type { Commands } from "@/bindings";
import { notify } from "@/design/dialogs/notify";
import { HostError, type Reply } from "@/ipc";
import { useWorkspace } from "./context";

type ListQuery = keyof Pick<Commands, "flow.recent" | "flow.examples" | "templates.list">;

/** What the host replies to this query, asked again whenever this window has changed the list. Empty until it has replied. */
export function useFlowList<Query extends ListQuery>(query: Query): Reply<Query> {
  const { host, queryInvalidation } = useWorkspace();
  const [list, setList] = useState([] as unknown as Reply<Query>);
  useEffect(() => {
    let latest = 0;
    const load = () => {
      latest += 1;
      const request = latest;
      host.call(query, {}).then(
        // Ignores the late reply to an earlier request.
        (reply) => request === latest && setList(reply),
        (thrown) => request === latest && notify.error(HostError.from(thrown)),
      );
    };
    load();
    const unsubscribe = queryInvalidation.subscribe(query, load);
    return () => {
      unsubscribe();
      latest = 0;
    };
  }, [host, queryInvalidation, query]);
  return list;
}
