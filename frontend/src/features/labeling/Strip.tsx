import { type CSSProperties, memo, useEffect, useRef } from "react";
import { sized } from "../../api/images";
import type { LabelClass } from "../../api/types";
import { t } from "../../strings";
import { drawTinyCrisp } from "./crisp";
import type { Entry, Subject } from "./queue/model";
import styles from "./Strip.module.css";
import { nameOf } from "./verdicts";

/** How many of the last verdicts are in reach at a glance. */
const SHOWN = 10;
/** Larger images are shown by a thumbnail of their own; after a reload the size is not known. */
const SMALL = 512;

type StripProps = {
  /** Entries with a verdict, the latest last. */
  trail: Entry[];
  /** The query that is open now. */
  openId: number | null;
  classes: LabelClass[];
  onOpen: (queryId: number) => void;
};

/** The last verdicts, each a click away from being changed. */
export const Strip = memo(function Strip({ trail, openId, classes, onOpen }: StripProps) {
  const shown = trail.slice(-SHOWN);
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
        {shown.map(({ subject, given }) => {
          if (!given) return null;
          const name = nameOf(given, classes);
          const short = t.label.strip.short[given.verdict] ?? name;
          const colour = classes.find((one) => one.id === given.classId)?.colour;
          return (
            <li key={subject.query_id}>
              <button
                type="button"
                className={styles.verdict}
                aria-label={t.label.strip.change(short)}
                aria-current={subject.query_id === openId || undefined}
                title={name}
                onClick={() => onOpen(subject.query_id)}
              >
                <img
                  src={thumbnail(subject)}
                  alt=""
                  decoding="async"
                  draggable={false}
                  onLoad={drawTinyCrisp}
                />
                <span
                  className={styles.mark}
                  data-verdict={given.verdict}
                  style={colour ? ({ "--colour": colour } as CSSProperties) : undefined}
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

const thumbnail = ({ image_url, width, height }: Subject): string => {
  const side = Math.max(width, height);
  return side > 0 && side <= SMALL ? image_url : sized(image_url, 128);
};
