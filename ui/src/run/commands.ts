import type { Command } from "@/app/command";

export function runCommands(): Command[] {
  return [];
}
