/** The mock host's users, kept between loads of the page. */
import type { UserList } from "@/bindings";
import { HostError } from "@/ipc/host";
import type { Commands } from "./commands";
import { store, stored } from "./storage";

const KEPT = "users";
const FIRST: UserList = { current: "local", names: ["local"] };

/** Who new runs, conversations and memories belong to. */
export function currentUser(): string {
  return stored(KEPT, FIRST).current;
}

/** `removed` is called with the name of a user that was removed. */
export function mockUsers(memoriesOf: (name: string) => number, removed: (name: string) => void): Commands {
  const put = (users: UserList) => {
    store(KEPT, users);
    return users;
  };
  const known = (name: string) => {
    const users = stored(KEPT, FIRST);
    if (users.names.includes(name)) return users;
    throw new HostError({ code: "user.unknown", message: `There is no user \`${name}\`.` });
  };
  return {
    "users.list": () => stored(KEPT, FIRST),
    "users.switch": ({ name }: { name: string }) => put({ ...known(name), current: name }),
    "users.add": ({ name, switch: becomes }: { name: string; switch?: boolean }) => {
      const users = stored(KEPT, FIRST);
      if (users.names.some((one) => one.toLowerCase() === name.toLowerCase())) {
        throw new HostError({ code: "user.exists", message: `There is already a user \`${name}\`.` });
      }
      return put({ current: becomes ? name : users.current, names: [...users.names, name].sort() });
    },
    "users.remove": ({ name, eraseMemories }: { name: string; eraseMemories?: boolean }) => {
      const users = known(name);
      if (name === users.current) {
        throw new HostError({ code: "user.current", message: `\`${name}\` is the current user.` });
      }
      if (!eraseMemories && memoriesOf(name) > 0) {
        throw new HostError({ code: "user.has_memories", message: `The user \`${name}\` has memories.` });
      }
      removed(name);
      return put({ ...users, names: users.names.filter((one) => one !== name) });
    },
  };
}
