import { UserMinus, UserPlus } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Button, IconButton } from "@/design/controls/Button";
import { CONTROL } from "@/design/controls/control";
import { Select } from "@/design/controls/Select";
import { ErrorMessage } from "@/design/text/ErrorMessage";
import { HostError } from "@/ipc";
import { useUsers, useWorkspace } from "@/workspace/context";
import { removeUser } from "./actions";
import { TEXTS } from "./texts";

/** The user of the memories: switches, adds and removes users. */
export function UserBar() {
  const workspace = useWorkspace();
  const { current, names } = useUsers((users) => users);
  const [adding, setAdding] = useState(false);
  return (
    <>
      <div className="mb-2 flex items-center gap-1.5">
        <span className="text-fg-3 text-xs">{TEXTS.user}</span>
        <Select
          label={TEXTS.user}
          testId="memory-user"
          className="min-w-0 flex-1"
          options={names.map((name) => ({ id: name, label: name }))}
          value={current}
          onChange={(name) => void workspace.users.switchTo(name)}
        />
        <IconButton
          label={TEXTS.addUser}
          data-testid="user-add"
          icon={<UserPlus size={15} />}
          pressed={adding}
          onClick={() => setAdding(!adding)}
        />
        <IconButton
          label={TEXTS.removeUser}
          data-testid="user-remove"
          icon={<UserMinus size={15} />}
          disabled={names.length < 2}
          onClick={() => void removeUser(workspace)}
        />
      </div>
      {adding ? <AddUser onDone={() => setAdding(false)} /> : null}
    </>
  );
}

function AddUser({ onDone }: { onDone: () => void }) {
  const workspace = useWorkspace();
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<HostError>();
  const add = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await workspace.users.add(name.trim());
      onDone();
    } catch (thrown) {
      setProblem(HostError.from(thrown));
    }
  };
  return (
    <form className="mb-2 flex flex-col gap-1" aria-label={TEXTS.addUser} onSubmit={add}>
      <div className="flex gap-1.5">
        <input
          // biome-ignore lint/a11y/noAutofocus: the field opens on request.
          autoFocus
          className={`${CONTROL} h-[30px] min-w-0 flex-1 text-sm`}
          aria-label={TEXTS.userName}
          placeholder={TEXTS.userName}
          data-testid="user-name"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Button type="submit" kind="main" data-testid="user-submit" disabled={name.trim() === ""}>
          {TEXTS.addUser}
        </Button>
      </div>
      {problem ? <ErrorMessage error={problem} className="text-xs" /> : null}
    </form>
  );
}
