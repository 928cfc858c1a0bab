// Generated from the Rust code by `cargo xtask bindings`. Do not edit: a test compares the two.
import type { CanvasColor, Category, GrantKind, MemoryKind, PortType, RunStatus } from "./index";

/** The colors of nodes and frames, in the order of menus. */
export const CANVAS_COLORS: readonly CanvasColor[] = ["gray","blue","violet","pink","red","amber","green","teal"];

/** The sections of the palette, in its order. */
export const CATEGORIES: readonly Category[] = ["contexts","people","models","tools","data","control","wiring"];

/** What needs a grant, in the order of lists. */
export const GRANT_KINDS: readonly GrantKind[] = ["command","host","folder","tool"];

/** The kinds of memories, in the order of lists. */
export const MEMORY_KINDS: readonly MemoryKind[] = ["fact","episode","procedure"];

/** The statuses that no event can follow. */
export const FINAL_RUN_STATUSES: readonly RunStatus[] = ["finished","failed","cancelled"];

/** For each type of an output, the types of the inputs that it may feed. */
export const FED_PORT_TYPES: Readonly<Record<PortType, readonly PortType[]>> = {"any":["any","text","number","boolean","list","object"],"boolean":["any","text","boolean"],"list":["any","list"],"number":["any","text","number"],"object":["any","object"],"text":["any","text"]};

/** A kind of place that values come from. */
export type OriginKind = "person" | "model" | "file" | "attachment" | "host" | "mcp" | "knowledge" | "conversation";

/** Places that others than the person and the author of the flow write to. */
export const UNTRUSTED_ORIGIN_KINDS: readonly OriginKind[] = ["file","attachment","host","mcp","knowledge"];

/** The version of the flow format. */
export const FLOW_VERSION = 1;

/** How the names of flow files end. */
export const FLOW_ENDING = ".flow.json";

/** The output that carries a failure. */
export const ERROR_PORT = "error";

/** The input for images and files. */
export const ATTACH_PORT = "attach";

/** The variable with the answers that people gave in a loop. */
export const HITL_HISTORY = "hitl_history";

/** The key in the schema of an answer that may have attachments. */
export const TAKES_ATTACHMENTS = "x-attachments";

/** The id of the context that a flow's `contextStart` creates. */
export const MAIN_CONTEXT = "main";

/** Above this sum of counted tokens, both sums of a correction are halved. */
export const MAX_COUNTED_TOKENS = 1000000;

/** The highest price of a model. */
export const MAX_USD_PER_MILLION_TOKENS = 1000000.0;

/** The largest context window, in tokens. */
export const MAX_CONTEXT_WINDOW = 4294967295;
