import { formatCount } from "@/run/values/format";

/** Every text of this part of the window. */
export const TEXTS = {
  debugging: "Debugging",
  pauseSide: {
    before: "Pause before this node",
    call: "Pause before each call",
    after: "Pause after this node",
  },
  pausePort: (side: "before" | "call" | "after", port: string) =>
    side === "before" ? `Pause when a value comes in on ${port}` : `Pause when a value leaves by ${port}`,
  askEarlierRuns: "Ask earlier runs",
  earlierRuns: "Earlier runs that would have stopped",
  noEarlierRuns: "There are no earlier runs of this file.",
  times: (count: number) => (count === 1 ? "once" : `${formatCount(count)} times`),
  wouldHaveStopped: (stops: number, stopped: number, runs: number) => {
    const of = runs === 1 ? "1 run" : `${formatCount(runs)} runs`;
    const times = stops === 1 ? "1 time" : `${formatCount(stops)} times`;
    return stops === 0
      ? `Would not have stopped in ${of}.`
      : `Would have stopped ${times} in ${formatCount(stopped)} of ${of}.`;
  },
  conditionFailed: (places: number, message: string) =>
    `At ${formatCount(places)} of these places the condition could not be evaluated: ${message}`,
  unreadableRuns: (runs: number) =>
    runs === 1 ? "1 run could not be read to its end." : `${formatCount(runs)} runs could not be read to their ends.`,
  runFiles: "Files for runs",
  runFilesHint: "Go with the message in each run from here, and are not part of the flow.",
  problemsNode: "Problems with this node",
  config: "Config",
  noSettings: "No settings",
  unknownNodeTypeNode: (type: string | number) =>
    `Unknown node type “${type}”. The node is saved unchanged, but flows that contain it can’t run.`,
  nodeJson: "Node JSON",
  edgeNotFound: "Edge not found",
  forcedFrom: (from: string) => `A person had the run go this way instead of “${from}”.`,
  backEdgeStartsNext: "Back edge: starts the next iteration of its cycle",
  from: "From",
  to: "To",
  lastValueOf: (passed: string | number) => `Last value of ${passed}`,
  deleteEdge: "Delete edge",
  flow: "Flow",
  name: "Name",
  description: "Description",
  folders: "Folders",
  folderPath: "Path",
  folderWrite: "Allow writing",
  nodeDefaults: "Defaults for loops and nodes",
  nodeDefaultsHelp: "Used by loops and nodes of this flow that leave the value empty.",
  selectNodeSeeConfiguration: "Select a node to see its configuration and results.",
  about: "About",
  examples: (count: string | number) => `Examples (${count})`,
  useThisConfig: "Use this config",
  ports: "Ports",
  openInGuide: "Open in the guide",
  limitsAndRetries: "Limits and retries",
  retryOnFailure: "Retry on failure",
  nodeNotFound: "Node not found",
  inputOutput: "Input / Output",
  prompt: "Prompt",
  context: "Context",
  unknownType: "Unknown type",
  frame: "Frame",
  frameTitle: "Title",
  nodeCount: (count: number) => `${count} ${count === 1 ? "node" : "nodes"}`,
  node: "Node",
  nodeName: "Node name",
  color: "Color",
  noColor: "No color",
  colors: {
    gray: "Gray",
    blue: "Blue",
    violet: "Violet",
    pink: "Pink",
    red: "Red",
    amber: "Amber",
    green: "Green",
    teal: "Teal",
  },
  align: "Align",
  distribute: "Distribute",
} as const;
