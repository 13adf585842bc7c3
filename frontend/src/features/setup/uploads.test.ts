import { expect, it, vi } from "vitest";
import { uploadsOf } from "./uploads";

/** What is sent, to be answered when it is said so. */
const sent: { url: string; onload: () => void }[] = [];

class Sent {
  readonly upload = {};
  readonly status = 202;
  readonly response = { id: 1 };
  url = "";
  onload = () => {};
  open(_: string, url: string) {
    this.url = url;
  }
  setRequestHeader() {}
  send() {
    sent.push(this);
  }
}

const asks = (): boolean => !window.dispatchEvent(new Event("beforeunload", { cancelable: true }));

it("asks before the page goes for as long as anything is uploaded to any project", async () => {
  vi.stubGlobal("XMLHttpRequest", Sent);
  const done: number[] = [];
  const add = (projectId: number) =>
    uploadsOf(projectId).add(
      { content: new File(["a"], "a.zip"), split: "pool", annotations: [], dryRun: false },
      () => done.push(projectId),
    );
  expect(asks()).toBe(false);
  add(1);
  add(2);
  await vi.waitFor(() => expect(sent).toHaveLength(2));
  for (const [index, asked] of [true, false].entries()) {
    expect(asks()).toBe(true);
    sent[index]?.onload();
    await vi.waitFor(() => expect(done).toHaveLength(index + 1));
    await vi.waitFor(() => expect(asks()).toBe(asked));
  }
});
