import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type CSSProperties, useEffect, useRef } from "react";
import { guidesQuery, pinExamples } from "../../api/guides";
import type { ClassGuide, GuideExample, LabelClass, Project } from "../../api/types";
import { Thumbnail } from "../../media/Thumbnail";
import { t } from "../../strings";
import { LabelOver } from "../../tasks/boxes/LabelOver";
import { traitsOf } from "../../tasks/traits";
import { Button } from "../../ui/Button";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { FIXED_KEYS } from "../../ui/hotkeys";
import { Kbd } from "../../ui/Kbd";
import { Failure, Loading, Skeleton } from "../../ui/State";
import styles from "./GuidePanel.module.css";

const { guide: text } = t.label;

type GuidePanelProps = {
  project: Project;
  /** The image on screen, which an engineer can make an example. */
  exampleId: number | null;
  onClose: () => void;
};

/** What belongs to each class, beside the image; verdicts can be given while it is open. */
export function GuidePanel({ project, exampleId, onClose }: GuidePanelProps) {
  const { data, error, refetch } = useQuery(guidesQuery(project.id));
  const panel = useRef<HTMLElement>(null);
  const manages = project.permissions.includes("manage");
  const client = useQueryClient();
  const pin = useMutation({
    mutationFn: ({ classId, ids }: { classId: number; ids: number[] }) =>
      pinExamples(project.id, classId, ids),
    onSettled: () => client.invalidateQueries({ queryKey: guidesQuery(project.id).queryKey }),
  });

  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    panel.current?.focus();
    const onKey = (event: KeyboardEvent) => {
      // A dialog over the page closes first, and by itself.
      if (event.key !== "Escape" || (event.target as Element).closest("dialog")) return;
      const within = panel.current?.contains(document.activeElement);
      if (within || !event.defaultPrevented) onClose();
    };
    window.addEventListener("keydown", onKey);
    return () => {
      window.removeEventListener("keydown", onKey);
      before?.focus();
    };
  }, [onClose]);

  const { hasClasses, words } = traitsOf(project);
  const { title, untold, none, text: noneText } = words.guide();
  const guideOf = (id: number) => data?.classes.find((one) => one.class_id === id);
  // One after the other, since each takes the place of all before. Buttons that go take the focus along.
  const pinIn = (classId: number, ids: number[]) => {
    if (!pin.isPending) pin.mutate({ classId, ids });
  };
  return (
    <section ref={panel} className={styles.panel} aria-label={title} tabIndex={-1}>
      <header className={styles.head}>
        <h2>{title}</h2>
        <Button kind="quiet" size="small" aria-keyshortcuts={FIXED_KEYS.guide} onClick={onClose}>
          {t.common.close}
          <Kbd decorative>{FIXED_KEYS.guide.toUpperCase()}</Kbd>
        </Button>
      </header>
      {(project.guidelines || untold) && (
        <p className={styles.text}>{project.guidelines || untold}</p>
      )}
      <ErrorNotice error={pin.error} />
      {error && <Failure error={error} onRetry={() => refetch()} />}
      {!data && !error && (
        <Loading>
          <Skeleton height="24rem" />
        </Loading>
      )}
      {data &&
        project.classes.map((item) => (
          <ClassPart
            key={item.id}
            item={item}
            guide={guideOf(item.id)}
            exampleId={manages ? exampleId : null}
            onPin={manages ? (ids) => pinIn(item.id, ids) : undefined}
          />
        ))}
      {data && (
        <article className={styles.part}>
          <h3>
            <span className={styles.hatch} aria-hidden="true" />
            {none}
          </h3>
          <p className={styles.text}>
            {[noneText, hasClasses && data.ood.length > 0 && text.oodSaid]
              .filter(Boolean)
              .join(" ")}
          </p>
          <Examples examples={data.ood} />
        </article>
      )}
    </section>
  );
}

type ClassPartProps = {
  item: LabelClass;
  guide: ClassGuide | undefined;
  exampleId: number | null;
  onPin: ((ids: number[]) => void) | undefined;
};

function ClassPart({ item, guide, exampleId, onPin }: ClassPartProps) {
  const examples = guide?.examples ?? [];
  const pinned = examples.filter((one) => one.pinned).map((one) => one.example_id);
  const canAdd = onPin && exampleId !== null && !pinned.includes(exampleId);
  return (
    <article className={styles.part}>
      <h3>
        <span
          className={styles.colour}
          style={{ "--colour": item.colour } as CSSProperties}
          aria-hidden="true"
        />
        {item.name}
      </h3>
      {guide?.guide && <p className={styles.text}>{guide.guide}</p>}
      <Examples
        examples={examples}
        of={item}
        onToggle={
          onPin &&
          ((id) =>
            onPin(pinned.includes(id) ? pinned.filter((one) => one !== id) : [...pinned, id]))
        }
      />
      {canAdd && (
        <Button
          kind="quiet"
          size="small"
          aria-label={text.addTo(item.name)}
          onClick={() => onPin([...pinned, exampleId])}
        >
          {text.add}
        </Button>
      )}
    </article>
  );
}

type ExamplesProps = {
  examples: GuideExample[];
  /** The class that they show, if they show one. */
  of?: LabelClass;
  onToggle?: ((exampleId: number) => void) | undefined;
};

function Examples({ examples, of, onToggle }: ExamplesProps) {
  if (examples.length === 0) return <p className={styles.none}>{text.none}</p>;
  return (
    <ul className={styles.examples}>
      {examples.map(({ example_id: id, pinned, whole_label: label, ...example }) => (
        <li key={id}>
          <Thumbnail
            example={{ id, ...example }}
            size={256}
            crispUpTo="tiny"
            alt={t.label.imageNumber(id)}
            loading="lazy"
          />
          {of && <LabelOver example={example} label={label} classes={[of]} only={of.id} />}
          {onToggle && (
            <button
              type="button"
              className={styles.pin}
              aria-pressed={pinned}
              aria-label={pinned ? text.unpin(id) : text.pin(id)}
              title={pinned ? text.unpin(id) : text.pin(id)}
              onClick={() => onToggle(id)}
            >
              <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
                <path d="M6 2h4l-.5 5 2 2v1H8.6v4h-1.2v-4H4.5V9l2-2z" />
              </svg>
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
