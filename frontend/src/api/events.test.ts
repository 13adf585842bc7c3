import { QueryClient, QueryClientProvider, type QueryKey } from "@tanstack/react-query";
import { cleanup, renderHook } from "@testing-library/react";
import { createElement, type ReactNode } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HEARD, listenToProject, TOPICS, useProjectEvents } from "./events";
import { guidesQuery } from "./guides";
import { homeQuery } from "./home";
import { membersQuery, projectQuery, projectsQuery } from "./projects";
import { makeQueryClient } from "./queryClient";
import { reviewsQuery } from "./reviews";
import { roundsQuery } from "./rounds";
import { snapshotsQuery } from "./snapshots";

class Source extends EventTarget {
  static readonly CLOSED = 2;
  static all: Source[] = [];
  readyState = 1;
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;

  constructor(readonly url: string) {
    super();
    Source.all.push(this);
  }

  close() {
    this.readyState = 2;
  }

  say(kind: string, data: unknown = {}) {
    this.dispatchEvent(new MessageEvent(kind, { data: JSON.stringify(data) }));
  }

  /** What stands before the server answers that it is not there. */
  refuse() {
    this.readyState = 2;
    this.onerror?.();
  }
}

const open = () => Source.all.filter(({ readyState }) => readyState !== 2);

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("EventSource", Source);
  Source.all = [];
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("the stream of a project", () => {
  it("is one, however many listen, and ends with the last of them", async () => {
    const [first, second] = [vi.fn(), vi.fn()];
    const leave = listenToProject(7, first);
    const alsoLeave = listenToProject(7, second);
    expect(open().map(({ url }) => url)).toEqual(["/api/projects/7/events"]);
    for (const kind of ["project", "guide"]) {
      open()[0]?.say(kind);
      expect([first.mock.lastCall, second.mock.lastCall]).toEqual([
        [kind, {}],
        [kind, {}],
      ]);
    }
    leave();
    expect(open()).toHaveLength(1);
    alsoLeave();
    expect(open()).toHaveLength(0);
  });

  it("tells who comes later for how long nothing has changed", async () => {
    const leave = listenToProject(7, () => {});
    const late = () => {
      const heard = vi.fn();
      leaves.push(listenToProject(7, heard));
      return heard;
    };
    const leaves = [leave];
    const early = late();
    open()[0]?.say("project", { quiet_seconds: 40 });
    await vi.advanceTimersByTimeAsync(3_000);
    const later = late();
    await vi.advanceTimersByTimeAsync(0);
    // Whoever was there when it opened has been told by the server, and nobody twice.
    expect(early.mock.calls).toEqual([["project", { quiet_seconds: 40 }]]);
    expect(later.mock.calls).toEqual([["project", { quiet_seconds: 3 }]]);
    // While it is broken, nothing is known.
    open()[0]?.refuse();
    const last = late();
    await vi.advanceTimersByTimeAsync(0);
    expect(last).not.toHaveBeenCalled();
    for (const each of leaves) each();
  });

  it("is opened again after an answer that browsers take for the end", async () => {
    const leave = listenToProject(7, () => {});
    for (let failures = 0; failures < 8; failures += 1) {
      open()[0]?.refuse();
      expect(open()).toHaveLength(0);
      await vi.advanceTimersByTimeAsync(40_000);
      expect(open()).toHaveLength(1);
    }
    leave();
    open()[0]?.refuse();
    await vi.advanceTimersByTimeAsync(40_000);
    expect(open()).toHaveLength(0);
  });
});

describe("what is read again", () => {
  const concerned: Record<string, QueryKey> = {
    project: projectQuery(7).queryKey,
    projects: projectsQuery.queryKey,
    home: homeQuery.queryKey,
    rounds: roundsQuery(7).queryKey,
    reviews: reviewsQuery(7).queryKey,
    guides: guidesQuery(7).queryKey,
    members: membersQuery(7).queryKey,
    snapshots: snapshotsQuery(7).queryKey,
  };
  const everything = Object.keys(concerned).filter((name) => name !== "guides");
  const wanted: Record<(typeof TOPICS)[number], string[]> = {
    project: Object.keys(concerned),
    round: everything,
    job: everything,
    pool: everything,
    review: ["home", "reviews"],
    guide: ["guides"],
    certificate: everything,
    member: everything,
    snapshot: ["snapshots"],
    webhook: everything.filter((name) => name !== "projects" && name !== "home"),
  };

  it.each(TOPICS)("on %s", (topic) => {
    const client = new QueryClient();
    for (const queryKey of Object.values(concerned)) client.setQueryData(queryKey, {});
    const wrapper = ({ children }: { children: ReactNode }) =>
      createElement(QueryClientProvider, { client }, children);
    renderHook(() => useProjectEvents(7), { wrapper });
    open()[0]?.say(topic, {});
    const stale = Object.entries(concerned).filter(
      ([, queryKey]) => client.getQueryState(queryKey)?.isInvalidated,
    );
    expect(new Set(stale.map(([name]) => name))).toEqual(new Set(wanted[topic]));
    expect(HEARD[topic](7).length).toBeGreaterThan(0);
  });

  it("leaves what was asked for since nothing has changed", async () => {
    const client = makeQueryClient();
    const ask = vi.fn(async () => ({}));
    const read = (queryKey: QueryKey) =>
      client.fetchQuery({ queryKey, queryFn: ask, staleTime: 0 });
    const stale = (queryKey: QueryKey) => client.getQueryState(queryKey)?.isInvalidated;
    const wrapper = ({ children }: { children: ReactNode }) =>
      createElement(QueryClientProvider, { client }, children);
    await read(roundsQuery(7).queryKey);
    await vi.advanceTimersByTimeAsync(2_000);
    await read(membersQuery(7).queryKey);
    client.setQueryData(snapshotsQuery(7).queryKey, {} as never);
    await vi.advanceTimersByTimeAsync(1_000);
    renderHook(() => useProjectEvents(7), { wrapper });
    const tell = (quiet_seconds: number) => {
      open()[0]?.say("project", { quiet_seconds });
      return [roundsQuery(7), membersQuery(7), snapshotsQuery(7)].map(({ queryKey }) =>
        stale(queryKey),
      );
    };
    // Nobody asked for the last: it may be as old as it likes.
    expect(tell(3.5)).toEqual([false, false, true]);
    expect(tell(2)).toEqual([true, false, true]);
    await read(roundsQuery(7).queryKey);
    // The clock that goes by while a computer sleeps.
    vi.setSystemTime(Date.now() + 60_000);
    expect(tell(30)).toEqual([true, true, true]);
    await read(roundsQuery(7).queryKey);
    expect(stale(roundsQuery(7).queryKey)).toBe(false);
    open()[0]?.say("round", {});
    expect(stale(roundsQuery(7).queryKey)).toBe(true);
  });
});
