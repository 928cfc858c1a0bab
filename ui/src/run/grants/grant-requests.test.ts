import { expect, it } from "vitest";
import { GrantRequests } from "./grant-requests";

it("asks for one flow after the other", async () => {
  const requests = new GrantRequests();
  const request = (flowName: string) => ({ flowName, hasFile: false, needs: [] });
  const displayed = () => requests.store.getState().request?.flowName;
  const first = requests.ask(request("first"));
  const second = requests.ask(request("second"));
  expect(displayed()).toBe("first");
  requests.store.getState().settle({ kept: [], once: [] });
  expect(await first).toEqual({ kept: [], once: [] });
  expect(displayed()).toBe("second");
  requests.store.getState().settle();
  expect(await second).toBeUndefined();
  expect(displayed()).toBeUndefined();
});
