/** The templates of the mock host. */
import type { Flow, TemplateSummary } from "@/bindings";
import { HostError } from "@/ipc/host";
import type { Commands } from "./commands";
import { store, stored } from "./storage";

type Template = { id: string; name: string; savedAt: number; flow: Flow };

export function mockTemplates(): Commands {
  const all = () => stored<Template[]>("templates", []);
  const others = (id: string) => all().filter((template) => template.id !== id);
  const find = (id: string) => {
    const found = all().find((template) => template.id === id);
    if (!found) throw new HostError({ code: "template.unknown", message: `There is no template \`${id}\`.` });
    return found;
  };
  return {
    "templates.list": (): TemplateSummary[] =>
      all()
        .map(({ flow, ...summary }) => ({ ...summary, description: flow.description ?? "" }))
        .sort((a, b) => a.name.localeCompare(b.name)),
    "templates.open": ({ id }: { id: string }) => find(id).flow,
    "templates.save": ({ name, flow }: { name: string; flow: Flow }) => {
      const id = crypto.randomUUID();
      store("templates", [...all(), { id, name, savedAt: Date.now(), flow: { ...flow, name } }]);
      return { id };
    },
    "templates.rename": ({ id, name }: { id: string; name: string }) => {
      const template = find(id);
      store("templates", [...others(id), { ...template, name, flow: { ...template.flow, name } }]);
      return null;
    },
    "templates.remove": ({ id }: { id: string }) => {
      find(id);
      store("templates", others(id));
      return null;
    },
  };
}
