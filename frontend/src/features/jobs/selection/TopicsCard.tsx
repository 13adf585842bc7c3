import type { Selection } from "../../../api/selections";
import { t } from "../../../strings";
import { BeforeAfter } from "./BeforeAfter";

type TopicsCardProps = { topics: Selection["topics"] };

/** What rows are about. */
export function TopicsCard({ topics }: TopicsCardProps) {
  const text = t.selection;
  const groups = topics.map(({ words, rows, kept }) => ({
    name: words.join(", ") || "–",
    before: rows,
    after: kept,
  }));
  return (
    <BeforeAfter title={text.topics} hint={text.topicsHint} heading={text.words} groups={groups} />
  );
}
