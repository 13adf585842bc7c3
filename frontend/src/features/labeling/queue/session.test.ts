import { cleanup, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { LabelClass } from "../../../api/types";
import { draw } from "../../../tasks/boxes/commands";
import { boxOf } from "../../../tasks/boxes/model";
import { useEditor } from "../../../tasks/boxes/useEditor";
import { type Choice, LABELED } from "../../../tasks/choice";
import { draftName, keepNote, readNote } from "../../../tasks/drafts";
import { FakeServer } from "../../../test/fakeServer";
import { toStored } from "./entries";
import type { Outbox, Subject } from "./model";
import { openOutbox } from "./outbox";
import { AnswerSender } from "./sender";
import { LabelSession, LEASE_SIZE } from "./session";
import { Stopwatch } from "./stopwatch";
import { uuid } from "./uuid";

const USER = 7;
const PROJECT = 1;
let server: FakeServer;
let outbox: Outbox;
let now: number;
const open: { session: LabelSession; sender: AnswerSender }[] = [];

function start() {
  const sender = new AnswerSender({
    userId: USER,
    outbox,
    api: server,
    exclusive: (work) => work(),
    wait: () => new Promise((resolve) => setTimeout(resolve, 1)),
  });
  const session = new LabelSession({
    projectId: PROJECT,
    userId: USER,
    client: "tab",
    openTabs: async () => ["open"],
    api: server,
    sender,
    // Somebody is there all the time, however long ago this browser was started.
    stopwatch: new Stopwatch(() => 0),
    now: () => now,
    isHidden: () => false,
  });
  open.push({ session, sender });
  session.start();
  return { session, sender };
}

const shown = (session: LabelSession) => session.getView().current?.subject.query_id;
const shows = (session: LabelSession, queryId: number) =>
  vi.waitFor(() => expect(shown(session)).toBe(queryId));
const arrived = (count: number) =>
  vi.waitFor(() => expect(server.taken).toHaveLength(count), 5_000);

beforeEach(async () => {
  now = Date.now();
  server = new FakeServer(100);
  server.now = () => now;
  outbox = await openOutbox({ name: uuid() });
});

afterEach(() => {
  cleanup();
  for (const { session, sender } of open.splice(0)) {
    session.stop();
    sender.stop();
  }
});

describe("the label queue", () => {
  it("shows every image once, in rank order, refilling before it runs dry", async () => {
    const { session } = start();
    const seen: (number | undefined)[] = [];
    await shows(session, 1);
    for (let index = 0; index < 60; index += 1) {
      seen.push(shown(session));
      expect(await session.answer("ood")).toBe(true);
      await vi.waitFor(() => expect(session.getView().current).not.toBeNull());
    }
    expect(seen).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
    await arrived(60);
    expect(server.leases).toBeLessThan(40);
  });

  it("stores the answer before it moves on", async () => {
    const { session, sender } = start();
    await shows(session, 1);
    server.signedOut = true;
    const moved = session.answer("label", 3);
    expect(shown(session)).toBe(1);
    await moved;
    expect(shown(session)).toBe(2);
    expect(await sender.answersOf(PROJECT)).toMatchObject([{ verdict: "label", classId: 3 }]);
  });

  it("stores and sends all of what was said, and brings it back after a reload", async () => {
    const { session, sender } = start();
    await shows(session, 1);
    const box = { ...boxOf({ x: 1.5, y: 2, w: 3, h: 4 }, 3), crowd: true };
    const label = { type: "boxes", boxes: [box], threshold: null } as const;
    server.signedOut = true;
    await session.answer(LABELED, null, 1, { ...label, boxes: [box] });
    session.stop();
    sender.stop();
    server.signedOut = false;
    const again = start();
    await arrived(1);
    expect(server.taken[0]).toMatchObject({ verdict: LABELED, label });
    expect(server.taken[0]).not.toHaveProperty("class_id");
    await vi.waitFor(() => expect(again.session.getView().history).toHaveLength(1));
    expect(again.session.getView().history[0]?.given?.label).toEqual(label);
  });

  it("sends what is written beside a verdict with it, and has it there again after a reload", async () => {
    const { session, sender } = start();
    await shows(session, 1);
    keepNote(draftName(USER, 1), " Is it\na cat? ");
    expect(session.inHand().map(({ subject }) => subject.query_id)).toEqual([1]);
    server.signedOut = true;
    await session.answer("unsure");
    expect(session.inHand()).toEqual([]);
    session.stop();
    sender.stop();
    server.signedOut = false;
    const again = start().session;
    await arrived(1);
    expect(server.taken[0]).toMatchObject({ verdict: "unsure", note: "Is it\na cat?" });
    await vi.waitFor(() => expect(again.getView().history).toHaveLength(1));
    again.undo();
    expect(again.getView().current?.given?.note).toBe("Is it\na cat?");
    // What is said anew keeps it, until it is written anew or deleted.
    await again.answer("ood");
    await arrived(2);
    expect(server.taken[1]?.note).toBe("Is it\na cat?");
    again.undo();
    keepNote(draftName(USER, 1), "");
    await again.answer("ood");
    await arrived(3);
    expect(server.taken[2]).not.toHaveProperty("note");
  });

  it("leaves a note where a verdict is changed that nobody can write one beside", () => {
    const given = { key: "a", verdict: "ood", classId: null } as const;
    const subject = { query_id: 1 } as Subject;
    const entry = { subject, leaseToken: null, given: { ...given, note: "odd" } };
    const place = { projectId: PROJECT, userId: USER };
    expect(toStored(entry, { ...given, key: "b" }, place, 1).note).toBe("odd");
    expect(toStored(entry, { ...given, key: "b", note: null }, place, 1).note).toBeNull();
  });

  it("has a note there again whose answer the server refuses", async () => {
    const { session } = start();
    await shows(session, 1);
    server.rejectedQueries.add(1);
    keepNote(draftName(USER, 1), "odd");
    await session.answer("ood");
    await vi.waitFor(() => expect(readNote(draftName(USER, 1))).toBe("odd"));
    keepNote(draftName(USER, 1), null);
  });

  it("has what was drawn there again where the server refuses it, but for what is made or said since", async () => {
    const { session, sender } = start();
    await shows(session, 1);
    server.signedOut = true;
    const subjects: Subject[] = [];
    const boxes = [boxOf({ x: 1.5, y: 2, w: 3, h: 4 }, 3)];
    const label = { type: "boxes" as const, boxes, threshold: null };
    for (const id of [1, 2, 3]) {
      subjects.push(session.getView().current?.subject as Subject);
      server.rejectedQueries.add(id);
      await session.answer(LABELED, null, 1, label);
    }
    const classes = [{ id: 3 } as LabelClass];
    const place = { projectId: PROJECT, userId: USER, classes, answer: () => {} };
    const edit = (subject: Subject, given: Choice | null = null) =>
      renderHook(() => useEditor({ ...place, current: { subject, given } }));
    const given = { verdict: LABELED, classId: null, label };
    const more = edit(subjects[1] as Subject, given);
    if (more.result.current) draw(more.result.current, { x: 1, y: 1, w: 4, h: 4 });
    more.unmount();
    session.undo();
    await session.answer("ood");
    server.signedOut = false;
    sender.wake();
    await vi.waitFor(() => expect(sender.getView().rejected).toHaveLength(4));
    const editors = subjects.map((subject) => edit(subject).result.current);
    expect(editors[0]?.getView().doc).toMatchObject({ boxes });
    expect(editors.map((editor) => editor?.getView().doc.boxes.length)).toEqual([1, 2, 0]);
    expect(editors.map((editor) => editor?.isChanged)).toEqual([true, true, false]);
  });

  it("takes one verdict per image, however fast the keys come", async () => {
    const { session } = start();
    await shows(session, 1);
    const accepted = await Promise.all([session.answer("ood"), session.answer("ood")]);
    expect(accepted).toEqual([true, false]);
    expect(shown(session)).toBe(2);
  });

  it("goes on through the leased images while the network is away", async () => {
    const { session } = start();
    await shows(session, 1);
    server.faults.push(...Array<"refuse-connection">(40).fill("refuse-connection"));
    for (let index = 0; index < 10; index += 1) await session.answer("ood");
    expect(shown(session)).toBe(11);
    await arrived(10);
    expect(server.taken.map((answer) => answer.query_id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it("fills up again once verdicts on a slow way have arrived, without another", async () => {
    const { session } = start();
    await shows(session, 1);
    server.delayMs = 400;
    for (let index = 0; index < 12; index += 1) await session.answer("ood");
    await vi.waitFor(() => expect(session.getView().upcoming).toHaveLength(LEASE_SIZE - 1), 20_000);
    expect(shown(session)).toBe(13);
  });

  it("returns to the previous image, and the new verdict supersedes", async () => {
    const { session } = start();
    await shows(session, 1);
    await session.answer("label", 3);
    await session.answer("ood");
    expect(session.undo()).toBe(true);
    expect(session.undo()).toBe(true);
    expect(session.getView().current).toMatchObject({
      subject: { query_id: 1 },
      given: { verdict: "label", classId: 3 },
    });
    await session.answer("label", 4);
    expect(shown(session)).toBe(2);
    expect(session.keep()).toBe(true);
    expect(shown(session)).toBe(3);
    await arrived(3);
    const [first, , third] = server.taken;
    expect(third).toMatchObject({ query_id: 1, class_id: 4, supersedes: first?.key });
  });

  it("supersedes the latest verdict when an image is changed twice", async () => {
    const { session } = start();
    await shows(session, 1);
    for (const verdict of ["ood", "unsure", "skip"] as const) {
      await session.answer(verdict);
      session.undo();
    }
    await arrived(3);
    expect(server.taken.map((answer) => answer.supersedes)).toEqual([
      undefined,
      server.taken[0]?.key,
      server.taken[1]?.key,
    ]);
  });

  it("undoes across a reload, unsent answers included", async () => {
    const before = start();
    await shows(before.session, 1);
    await before.session.answer("label", 3);
    await arrived(1);
    server.signedOut = true;
    await before.session.answer("ood");
    before.sender.stop();
    server.signedOut = false;
    const after = start();
    await vi.waitFor(() => expect(after.session.getView().history).toHaveLength(2));
    await vi.waitFor(() => expect(shown(after.session)).toBe(3));
    after.session.undo();
    expect(after.session.getView().current?.given).toMatchObject({ verdict: "ood" });
    after.session.undo();
    expect(after.session.getView().current?.given).toMatchObject({ verdict: "label", classId: 3 });
  });

  it("drops images whose lease went to someone else, but not the one on screen", async () => {
    const { session } = start();
    await shows(session, 1);
    for (const id of [1, 2, 3]) server.elsewhere.add(id);
    session.wake();
    await vi.waitFor(() => expect(session.getView().upcoming[0]?.subject.query_id).toBe(4));
    expect(shown(session)).toBe(1);
    await session.answer("ood");
    expect(shown(session)).toBe(4);
    await arrived(1);
  });

  it("sends a late answer, and asks anew for images whose lease has run out", async () => {
    const { session } = start();
    await shows(session, 1);
    now += 700_000;
    server.elsewhere.add(2);
    await session.answer("ood");
    await shows(session, 3);
    await arrived(1);
  });

  it("waits while a model is trained, and goes on by itself", async () => {
    server = new FakeServer(2);
    server.now = () => now;
    const { session } = start();
    await shows(session, 1);
    await session.answer("ood");
    await shows(session, 2);
    await session.answer("ood");
    await vi.waitFor(() => expect(session.getView().phase).toBe("waiting"));
    expect(session.getView().status?.waiting_for).toBe("training");
    server.publish(5);
    session.wake();
    await shows(session, 3);
  });

  it("counts each answer once when the way to the server drops, delays and repeats requests", async () => {
    server.delayMs = 2;
    const { session } = start();
    await shows(session, 1);
    server.faults.push("repeat", "lose-response", "refuse-connection", "repeat", "lose-response");
    for (let index = 0; index < 30; index += 1) {
      await vi.waitFor(() => expect(session.getView().current).not.toBeNull(), 5_000);
      await session.answer("ood");
    }
    await arrived(30);
    expect(server.taken.map((answer) => answer.query_id)).toEqual(
      Array.from({ length: 30 }, (_, index) => index + 1),
    );
    expect(server.received.length).toBeGreaterThan(30);
  });

  it("lets others have its images when the tab is left", async () => {
    const { session } = start();
    await shows(session, 1);
    session.stop();
    expect(server.released).toEqual(["tab"]);
  });

  it("lets others have images that were on their way as it was left", async () => {
    server.delayMs = 100;
    const { session } = start();
    const asked = vi.spyOn(server, "lease");
    await vi.waitFor(() => expect(asked).toHaveBeenCalled());
    session.stop();
    await vi.waitFor(() => expect(server.released).toEqual(["tab", "tab"]));
    expect(shown(session)).toBeUndefined();
  });

  it("says that the rest is open in another tab, and takes it when asked to", async () => {
    for (let id = 1; id <= 100; id += 1) server.inTabs.set(id, "open");
    const { session } = start();
    await vi.waitFor(() => expect(session.getView().phase).toBe("waiting"));
    expect(session.getView().elsewhere).toBe(true);
    session.takeOver();
    await shows(session, 1);
    expect(session.getView().elsewhere).toBe(false);
  });
});
