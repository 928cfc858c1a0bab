/** Stands between the page and its host: failures, slow replies, and replies that depend on the machine. */
import type { Page } from "@playwright/test";
import type { ErrorReply } from "../../src/bindings";
import type { Args, CommandName, Reply } from "../../src/ipc/host";

type Outcome<C extends CommandName> = { reply: Reply<C> } | { error: ErrorReply };

/** Answers a command in the host's place from now on. `ask` asks the host. */
export async function answer<C extends CommandName>(
  page: Page,
  name: C,
  reply: (args: Args<C>, ask: () => Promise<Outcome<C>>) => Outcome<C> | Promise<Outcome<C>>,
): Promise<void> {
  await page.route("**/rpc", async (route) => {
    const call = route.request().postDataJSON() as { name: string; args: Args<C> };
    if (call.name !== name) return route.fallback();
    const outcome = await reply(call.args, async () => (await route.fetch()).json() as Promise<Outcome<C>>);
    await route.fulfill({ json: outcome });
  });
}
