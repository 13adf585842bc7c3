import { useLayoutEffect, useMemo, useRef, useSyncExternalStore } from "react";
import { mediaViews } from "../../media/registry";
import { useScrollKeys } from "../../media/text/scrolling";
import { t } from "../../strings";
import { isTouch } from "../../ui/isTouch";
import { measurePaint } from "../../ui/measure";
import type { TaskStageProps } from "../spec";
import { Card } from "./Card";
import type { RankingEditor, RankingView } from "./editor";
import { MoreBelow } from "./MoreBelow";
import { Row } from "./Row";
import styles from "./Stage.module.css";
import { askedAlike, ownFields } from "./sameness";
import { useRankingKeys } from "./useRankingKeys";

/** The examples that are ranked together. Of an entry without them only the first is known. */
export function Stage({ work, ...props }: TaskStageProps) {
  if (work?.kind === "instructions" && work.queryId === props.subject.query_id) {
    return <Ranked key={work.queryId} editor={work} {...props} />;
  }
  const { medium, classes: _, ...rest } = props;
  const { Stage: Whole } = mediaViews[medium];
  return props.subject.members?.length ? null : <Whole {...rest} />;
}

type RankedProps = Omit<TaskStageProps, "work"> & { editor: RankingEditor };

function Ranked({ editor, subject, alternate, covered = false, onShown }: RankedProps) {
  const view = useSyncExternalStore(editor.subscribe, editor.getView);
  const region = useRef<HTMLElement>(null);
  useScrollKeys(region, covered);
  useRankingKeys(editor, covered);
  const { members } = editor;
  const asked = useMemo(() => askedAlike(members), [members]);
  const own = useMemo(() => ownFields(members), [members]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: shown once per query, whatever its callback is.
  useLayoutEffect(() => {
    measurePaint();
    onShown();
  }, [subject.query_id]);

  return (
    <div className={styles.stage}>
      <section
        ref={region}
        className={styles.region}
        aria-label={t.instructions.stage(members.length)}
        data-query-id={subject.query_id}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be within reach of the keys.
        tabIndex={0}
      >
        {asked && (
          <div className={styles.asked}>
            <Row fields={{ ...asked, responses: [] }} mono={alternate} only="asked" />
          </div>
        )}
        <div className={styles.cards} data-count={members.length}>
          {members.map((member, index) => (
            <Card
              key={member.example_id}
              editor={editor}
              view={view}
              member={member}
              index={index}
              own={own[index]}
              isAsked={asked !== null}
              mono={alternate}
            />
          ))}
        </div>
      </section>
      <MoreBelow region={region} queryId={subject.query_id} />
      <Message view={view} />
    </div>
  );
}

/** What became of the last step; before the first one, what to do. */
function Message({ view }: { view: RankingView }) {
  const tone = view.notice || view.blaming ? "warn" : "hint";
  return (
    <p className={styles.message} role="status" data-tone={tone}>
      {wordsOf(view)}
    </p>
  );
}

function wordsOf({ notice, blaming, ranking, open }: RankingView): string {
  const { hint, hintTouch } = t.instructions;
  const notices = isTouch() ? t.instructions.noticesTouch : t.instructions.notices;
  if (notice?.say === "open") return notices.open(notice.count);
  if (notice) return notices[notice.say];
  if (blaming) return notices.blaming;
  if (ranking.order.length + ranking.wrong.length === 0) return isTouch() ? hintTouch : hint;
  if (open.length === 0) return notices.ready;
  return open.length === 1 ? notices.last : notices.left(open.length);
}
