import { useCallback, useState } from "react";
import { Button } from "@/design/controls/Button";
import { Empty } from "@/design/text/Empty";
import { InlineCode } from "@/design/text/InlineCode";
import { HostError } from "@/ipc";
import { ErrorActionButton } from "@/workspace/errors/ErrorActionButton";

/** What the host replies to `read`, once `load` was called; the latest reply, or why there is none. */
export function useLoaded<T>(read: () => Promise<T>) {
  const [value, setValue] = useState<T>();
  const [error, setError] = useState<HostError>();
  const load = useCallback(async () => {
    try {
      setValue(await read());
      setError(undefined);
    } catch (thrown) {
      setError(HostError.from(thrown));
    }
  }, [read]);
  return { value, error, load };
}

type LoadErrorProps = { title: string; error: HostError; tryAgain: string; onTryAgain: () => void };

/** Why a panel shows nothing, and the button that tries again. */
export function LoadError({ title, error, tryAgain, onTryAgain }: LoadErrorProps) {
  return (
    <Empty title={title}>
      <p>
        <InlineCode text={error.message} /> <InlineCode text={error.hint} />
      </p>
      <ErrorActionButton error={error} />
      <Button onClick={onTryAgain}>{tryAgain}</Button>
    </Empty>
  );
}
