/** Recordings: a run as one file, and replays without network. */
import type { RunId } from "@/bindings";
import { notify } from "@/design/dialogs/notify";
import { HostError } from "@/ipc";
import type { RecordingMask } from "@/run/control/recording-mask";
import type { Workspace } from "@/workspace/workspace";
import { TEXTS } from "./texts";

const EXTENSION = "plait-recording";

/** Writes a run and those below it into a file of the person's choice, without the names that the person names. */
export async function exportRecording(workspace: Workspace, run: RunId, name: string): Promise<void> {
  const suggested = `${name.replaceAll(/[^\p{L}\p{N} _-]+/gu, "-")}.${EXTENSION}`;
  // What can't be masked is asked again, with the names as they were.
  for (let asked: RecordingMask | undefined = { mask: [] }; asked !== undefined; ) {
    asked = await workspace.exportRequests.ask(asked);
    const { mask } = asked ?? {};
    if (mask !== undefined && (await reportErrors(() => write(workspace, run, suggested, [...mask])))) return;
  }
}

async function write(workspace: Workspace, run: RunId, suggested: string, mask: string[]): Promise<void> {
  const { path } = await workspace.host.call("dialog.save", { suggested });
  if (path === null) return;
  const { unrecorded, unmasked } = await workspace.host.call("recording.export", { run, file: path, mask });
  const end = unrecorded[0];
  notify.done(end === undefined ? TEXTS.exportedTo(path) : TEXTS.exportedUpTo(path, end.node));
  if (mask.length > 0 && unmasked.length > 0) notify.info(TEXTS.mayShowNames(unmasked.join(", ")));
}

/** Replays the recording in a file of the person's choice. */
export async function openRecording(workspace: Workspace): Promise<void> {
  await reportErrors(async () => {
    const { path } = await workspace.host.call("dialog.open", { title: TEXTS.chooseRecording });
    if (path === null) return;
    const { run } = await workspace.host.call("recording.read", { file: path });
    await start(workspace, run, path);
  });
}

/** Runs again what a run recorded, and shows it. Nobody is asked. */
export async function replayRun(workspace: Workspace, run: RunId): Promise<void> {
  await reportErrors(() => start(workspace, run, undefined));
}

/** Replies arrive as they did when they were recorded. */
async function start(workspace: Workspace, earlier: RunId, recording: string | undefined): Promise<void> {
  const world = { misses: "fail", pace: "recorded" } as const;
  const { run } = await workspace.host.call("run.rerun", { run: earlier, recording, world });
  workspace.runList.refresh();
  await workspace.runs.open(run);
}

/** Whether it went well. */
async function reportErrors(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (thrown) {
    notify.error(HostError.from(thrown));
    return false;
  }
}
