import { expect, it } from "vitest";
import { HostError } from "./host";
import { testHost } from "./test-host";
import { trackRequests } from "./track-requests";

const failure = new HostError({ code: "store.io", message: "No." });

it("gives an error and the later success of the same request one name, and other subjects other names", async () => {
  const succeeded: string[] = [];
  let fails = true;
  const host = trackRequests(
    testHost({
      call: async () => {
        if (fails) throw failure;
        return {} as never;
      },
    }),
    { onSuccess: (request) => succeeded.push(request) },
  );
  const error = await host.call("runs.show", { run: "a" }).catch((thrown: HostError) => thrown);
  expect(error).toBe(failure);
  fails = false;
  await host.call("runs.show", { run: "b" });
  expect(succeeded).not.toContain(failure.request);
  await host.call("runs.show", { run: "a" });
  expect(succeeded).toContain(failure.request);
});
