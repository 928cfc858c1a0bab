import { Folder, Globe, type LucideIcon, Terminal, Wrench } from "lucide-react";
import type { GrantKind } from "@/bindings";

/** What stands for each kind of thing that a flow can be granted. */
export const GRANT_ICONS: Record<GrantKind, LucideIcon> = {
  command: Terminal,
  host: Globe,
  folder: Folder,
  tool: Wrench,
};
