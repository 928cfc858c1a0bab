/** For tests: shows a run that has come to these events. */
import type { Entry, Flow } from "@/bindings";
import { testHost } from "@/ipc/test-host";
import type { ActiveRun } from "./active-run";
import { RunSession } from "./session";

const EMPTY: Flow = { version: 1, name: "", nodes: {}, edges: {}, layout: {} };

export function showRun(activeRun: ActiveRun, events: readonly object[], flow: Flow = EMPTY): RunSession {
  const session = new RunSession(testHost(), "run", flow, {
    changed: (changed, changes) => activeRun.publish(changed, changes),
    broke: () => undefined,
  });
  const changed = session.fold.apply(asEntries(events));
  session.log.append(changed.entries);
  session.order.push(...changed.nodes);
  activeRun.show(session);
  return session;
}

/** The events in order; deltas have no place in the journal. */
function asEntries(events: readonly object[]): Entry[] {
  let seq = 0;
  return events.map((event) => {
    const place = "type" in event && event.type === "node.delta" ? {} : { seq: seq++ };
    return { at: 0, ...place, ...event } as unknown as Entry;
  });
}
