/** A run starts with what the person allows it. */
import type { RunId } from "@/bindings";
import { type Args, type Host, HostError } from "@/ipc";
import { neededBy } from "@/run/grants/grants";
import { TEXTS } from "@/run/texts";
import type { RunWindow } from "./run-window";

type Starting<Start extends "run.start" | "run.rerun"> = {
  request: Args<Start>;
  /** The name of the flow, and its file if it has one. */
  name: string;
  path: string | undefined;
};

/** Starts a run, after asking the person about what the flow needs. Nothing if the person cancels. */
export async function startGranted<Start extends "run.start" | "run.rerun">(
  host: Host,
  window: RunWindow,
  start: Start,
  { request, name, path }: Starting<Start>,
): Promise<RunId | undefined> {
  try {
    return (await host.call(start, request)).run;
  } catch (thrown) {
    const error = HostError.from(thrown);
    const needs = error.code === "grant.needed" ? neededBy(error.details) : undefined;
    if (!needs) throw error;
    const answer = await window.askGrants({ flowName: name || TEXTS.untitledFlow, hasFile: path !== undefined, needs });
    if (!answer) return undefined;
    if (path !== undefined && answer.kept.length > 0) {
      await host.call("grants.set", { path, rules: answer.kept });
    }
    return (await host.call(start, { ...request, grants: answer.once })).run;
  }
}
