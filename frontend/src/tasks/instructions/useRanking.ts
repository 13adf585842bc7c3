import { useMemo, useRef } from "react";
import { draftName } from "../drafts";
import type { WorkPlace } from "../spec";
import { RankingEditor } from "./editor";

/** The order of the examples on the page; a new one with each group. */
export function useRanking(place: WorkPlace): RankingEditor | null {
  const { userId, current, answer, desk } = place;
  const latest = useRef({ answer, current });
  latest.current = { answer, current };
  const queryId = current?.subject.query_id;
  const said = current?.given ?? null;
  return useMemo(() => {
    const members = latest.current.current?.subject.members ?? [];
    if (queryId === undefined || members.length === 0) return null;
    return new RankingEditor({
      queryId,
      draft: draftName(userId, queryId, desk),
      members,
      given: said,
      send: (choice) => latest.current.answer(choice),
    });
  }, [userId, queryId, said, desk]);
}
