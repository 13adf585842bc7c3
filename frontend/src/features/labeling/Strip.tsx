import { memo, useEffect, useRef, useSyncExternalStore } from "react";
import type { LabelClass } from "../../api/types";
import { t } from "../../strings";
import { draftName, draftsVersion, isUnsent, onDrafts } from "../../tasks/drafts";
import type { TaskView } from "../../tasks/spec";
import { keepFocus } from "../../ui/keepFocus";
import type { Entry } from "./queue/model";
import styles from "./Strip.module.css";

/** How many of the last verdicts are in reach at a glance. */
const SHOWN = 10;

type StripProps = {
  /** Entries with a verdict, the latest last. */
  trail: Entry[];
  /** The query that is open now. */
  openId: number | null;
  task: TaskView;
  userId: number;
  classes: LabelClass[];
  onOpen: (queryId: number) => void;
};

/** The last verdicts, each a click away from being changed; a dot says that it was, and not sent, a square that a reviewer has written something. */
export const Strip = memo(function Strip(props: StripProps) {
  const { trail, openId, task, userId, classes, onOpen } = props;
  useSyncExternalStore(onDrafts, draftsVersion);
  const isShown = (one: Entry, at: number) => at >= trail.length - SHOWN || one.reviewerNote;
  const shown = trail.filter(isShown);
  const nav = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another verdict has been opened.
  useEffect(() => {
    const open = nav.current?.querySelector("[aria-current]");
    open?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [openId]);
  return (
    <nav ref={nav} className={styles.strip} aria-label={t.label.strip.title}>
      {shown.length === 0 && <p className={styles.none}>{t.label.strip.none}</p>}
      <ol>
        {shown.map(({ subject, given, reviewerNote }) => {
          if (!given) return null;
          const isChanged = isUnsent(draftName(userId, subject.query_id));
          const noted = (said: string) => {
            const told = reviewerNote ? t.note.fromReviewer(said) : said;
            return isChanged ? t.label.strip.unsent(told) : told;
          };
          const name = noted(task.describe(given, classes));
          const short = task.short(given, classes);
          return (
            <li key={subject.query_id}>
              <button
                type="button"
                className={styles.verdict}
                aria-label={t.label.strip.change(noted(short))}
                data-unsent={isChanged || undefined}
                data-noted={reviewerNote ? true : undefined}
                aria-current={subject.query_id === openId || undefined}
                title={name}
                // Enter then sends what is changed, and does not open it once more.
                onMouseDown={keepFocus}
                onClick={() => onOpen(subject.query_id)}
              >
                <task.Thumbnail
                  example={{ ...subject, id: subject.example_id }}
                  given={given}
                  classes={classes}
                />
                <span className={styles.name}>{short}</span>
              </button>
            </li>
          );
        })}
      </ol>
    </nav>
  );
});
