/** For tests: shows a run that has come to these facts. */
import type { Entry, Flow } from "@/bindings";
import { RunSession } from "./session";
import { showSession, wake } from "./shown";

const EMPTY: Flow = { version: 1, name: "", nodes: {}, edges: {}, layout: {} };

export function showRun(facts: readonly object[], flow: Flow = EMPTY): RunSession {
  const session = new RunSession("run", flow, { changed: wake, broke: () => undefined });
  const changed = session.fold.apply(asEntries(facts));
  session.log.append(changed.entries);
  session.order.push(...changed.nodes);
  showSession(session);
  return session;
}

/** The facts in order; deltas have no place in the journal. */
function asEntries(facts: readonly object[]): Entry[] {
  let seq = 0;
  return facts.map((fact) => {
    const place = "type" in fact && fact.type === "node.delta" ? {} : { seq: seq++ };
    return { at: 0, ...place, ...fact } as unknown as Entry;
  });
}
