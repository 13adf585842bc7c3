import { MutationObserver, onlineManager } from "@tanstack/react-query";
import { afterEach, expect, it, vi } from "vitest";
import { makeQueryClient } from "./queryClient";

afterEach(() => onlineManager.setOnline(true));

it("asks a server, and tells it, also where the browser knows of no network", async () => {
  onlineManager.setOnline(false);
  const client = makeQueryClient();
  const [ask, tell] = [vi.fn(async () => "there"), vi.fn(async () => "done")];
  void client.prefetchQuery({ queryKey: ["home"], queryFn: ask });
  void new MutationObserver(client, { mutationFn: tell }).mutate();
  await vi.waitFor(() => expect([ask, tell].map(({ mock }) => mock.calls.length)).toEqual([1, 1]));
});
