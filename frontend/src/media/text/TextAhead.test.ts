import { afterEach, expect, it, vi } from "vitest";
import type { Content } from "../spec";
import { TextAhead } from "./TextAhead";

const long = (id: number): Content => ({
  example_id: id,
  image_url: `/texts/${id}`,
  width: null,
  height: null,
  name: `${id}.txt`,
});

/** A network on which an answer comes when it is said so. */
function network() {
  const answers = new Map<string, (response: Response) => void>();
  const asked: string[] = [];
  vi.stubGlobal("fetch", (url: string) => {
    asked.push(url);
    return new Promise<Response>((resolve) => answers.set(url, resolve));
  });
  const answer = async (id: number, status = 200) => {
    answers.get(`/texts/${id}`)?.(new Response("{}", { status }));
    await vi.waitFor(() => expect(ahead.get(long(id))?.state).not.toBe("loading"));
  };
  const ahead = new TextAhead();
  return { ahead, asked, answer };
}

afterEach(() => vi.unstubAllGlobals());

it("gets two texts at a time, the most urgent first", async () => {
  const { ahead, asked, answer } = network();
  ahead.keep([1, 2, 3, 4].map(long));
  expect(asked).toEqual(["/texts/1", "/texts/2"]);
  await answer(2);
  expect(asked.slice(2)).toEqual(["/texts/3"]);
  // The annotator has gone on: what was next and is no longer is not asked for.
  ahead.keep([5, 1, 3].map(long));
  await answer(1);
  expect(asked.slice(3)).toEqual(["/texts/5"]);
  expect(ahead.get(long(1))).toEqual({ text: "{}", state: "ready" });
});

it("asks again before anything else for what has failed", async () => {
  const { ahead, asked, answer } = network();
  ahead.keep([1, 2, 3, 4, 5].map(long));
  await answer(1, 500);
  expect(ahead.get(long(1))?.state).toBe("failed");
  ahead.retry(long(1));
  await answer(2);
  expect(asked.slice(2)).toEqual(["/texts/3", "/texts/1"]);
});

it("asks once more at its turn for what failed while it was ahead", async () => {
  const { ahead, asked, answer } = network();
  ahead.keep([1, 2, 3].map(long));
  await answer(1);
  await answer(2, 503);
  await answer(3);
  ahead.keep([1, 2, 3].map(long));
  expect(asked).toHaveLength(3);
  ahead.keep([2, 3].map(long));
  expect(asked.slice(3)).toEqual(["/texts/2"]);
  await answer(2, 503);
  ahead.keep([2, 3].map(long));
  expect(asked).toHaveLength(4);
});
