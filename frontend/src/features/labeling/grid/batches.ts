import type { LabelingApi } from "../../../api/labeling";
import type { RecentAnswer } from "../../../api/types";
import type { StoredAnswer } from "../queue/model";
import type { AnswerSender } from "../queue/sender";
import { uuid } from "../queue/uuid";
import { type GridView, idOf, type Tile } from "./model";

/** The part of a key that all answers of a batch share: sixty random bits. */
const SHARED = 19;
/** How many answers undo reaches back over a reload. */
const RECENT = 100;

/** Keys of answers that are given, and taken back, together. */
export function batchKeys(count: number): string[] {
  const shared = uuid().slice(0, SHARED);
  return Array.from({ length: count }, () => shared + uuid().slice(SHARED));
}

const batchOf = (key: string): string => key.slice(0, SHARED);

const NOT_PREDICTED = {
  classId: null,
  probability: null,
  inside: null,
  picture: null,
  reopened: false,
};

const fromRecent = (answer: RecentAnswer): Tile => ({
  ...NOT_PREDICTED,
  subject: {
    query_id: answer.query_id,
    example_id: answer.example_id,
    image_url: answer.image_url,
    width: answer.width,
    height: answer.height,
    name: answer.name,
    excerpt: answer.excerpt,
  },
  leaseToken: null,
  given: { key: answer.key, verdict: answer.verdict, classId: answer.class_id },
});

const fromStored = ({ key, verdict, classId, subject, leaseToken }: StoredAnswer): Tile => ({
  ...NOT_PREDICTED,
  subject,
  leaseToken,
  given: { key, verdict, classId },
});

/** What was judged together on earlier visits, the latest last: what the server has, then what it has not. */
function earlierBatches(recent: RecentAnswer[], unsent: StoredAnswer[]): Tile[][] {
  const tiles = [...[...recent].reverse().map(fromRecent), ...unsent.map(fromStored)];
  const latest = new Map(tiles.map((tile) => [idOf(tile), tile]));
  const batches = new Map<string, Tile[]>();
  for (const tile of tiles) {
    if (latest.get(idOf(tile)) !== tile) continue;
    const key = batchOf(tile.given?.key ?? "");
    batches.set(key, [...(batches.get(key) ?? []), tile]);
  }
  return [...batches.values()];
}

type Place = {
  projectId: number;
  api: Pick<LabelingApi, "recent" | "status">;
  sender: AnswerSender;
};

/** What this user has done before, on this device or another. */
export async function earlierWork({ projectId, api, sender }: Place) {
  const unsent = await sender.answersOf(projectId);
  const [recent, { mine }] = await Promise.all([
    api.recent(projectId, RECENT),
    api.status(projectId),
  ]);
  const more = unsent.filter((answer) => !answer.supersedes).length;
  const counts: GridView["mine"] = mine && { today: mine.today + more, total: mine.total + more };
  return { batches: earlierBatches(recent, unsent), mine: counts };
}

/** The batches without some tiles; an empty one goes. */
export const without = (batches: Tile[][], ids: ReadonlySet<number>): Tile[][] =>
  batches
    .map((batch) => batch.filter((tile) => !ids.has(idOf(tile))))
    .filter((batch) => batch.length > 0);
