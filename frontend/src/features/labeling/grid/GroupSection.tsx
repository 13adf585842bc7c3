import { type CSSProperties, memo, useEffect } from "react";
import type { LabelClass } from "../../../api/types";
import { Thumbnail } from "../../../media/Thumbnail";
import { t } from "../../../strings";
import { nameOf } from "../../../tasks/classification/describe";
import { Button } from "../../../ui/Button";
import { Kbd } from "../../../ui/Kbd";
import { keepFocus } from "../../../ui/keepFocus";
import { NotLoadedTile } from "../NotLoadedTile";
import { type OnState, useComingUp } from "../useComingUp";
import styles from "./GroupSection.module.css";
import { GRID_KEYS } from "./keys";
import { type Group, type GroupKind, idOf, isDone, type Tile } from "./model";
import type { Selection } from "./selection";
import { proposalOf } from "./useGridActions";

type GroupSectionProps = {
  group: Group;
  classes: LabelClass[];
  selection: Selection;
  /** Whether everything in it has its verdict. */
  leaving: boolean;
  /** Told of each image whether it has come up. */
  onState: OnState;
  onConfirm: () => void;
  onToggle: () => void;
};

/** Images up to this side are drawn as crisp pixels. */
export const PIXELS_UP_TO = 128;

const hintOf = (kind: GroupKind): string | undefined => {
  if (kind === "back") return t.grid.backHint;
  return kind === "none" ? t.grid.notPredictedHint : undefined;
};

function headingOf(group: Group, classes: LabelClass[]): string {
  if (group.kind === "back") return t.grid.back;
  if (group.kind === "ood") return t.grid.likelyOod;
  const known = classes.find((item) => item.id === group.classId);
  return known?.name ?? t.grid.notPredicted;
}

export function GroupSection(props: GroupSectionProps) {
  const { group, classes, selection, leaving, onState, onConfirm, onToggle } = props;
  const heading = headingOf(group, classes);
  const known = classes.find((item) => item.id === group.classId);
  const colour = known?.colour;
  const open = group.tiles.filter((tile) => !isDone(tile));
  // What was judged on an earlier visit comes back without its prediction.
  const hint = open.length > 0 && hintOf(group.kind);
  const focused = group.tiles.some((tile) => idOf(tile) === selection.focus);
  const picked = open.filter((tile) => selection.chosen.has(idOf(tile))).length;
  const proposal = proposalOf(group);
  const isRest = (picked > 0 && picked < open.length) || open.length < group.tiles.length;
  const taken = classes.some((item) => item.hotkey === GRID_KEYS.group);
  return (
    <section
      className={styles.group}
      style={colour ? ({ "--colour": colour } as CSSProperties) : undefined}
      data-group={group.key}
      data-leaving={leaving || undefined}
    >
      <header className={styles.header}>
        <div className={styles.heading}>
          <span className={styles[group.kind]} aria-hidden="true" />
          <h2
            className={styles.title}
            title={group.kind === "ood" ? t.glossary.words.none.text : undefined}
          >
            {heading}
          </h2>
          <span className={styles.count}>{open.length}</span>
          {hint && <small className={styles.hint}>{hint}</small>}
        </div>
        <div className={styles.actions} data-focused={focused || undefined}>
          <Button
            size="small"
            kind="quiet"
            disabled={leaving}
            onMouseDown={keepFocus}
            onClick={onToggle}
          >
            {picked === open.length && picked > 0 ? t.grid.unselect : t.grid.select}
            {!taken && <Kbd decorative>{GRID_KEYS.group.toUpperCase()}</Kbd>}
          </Button>
          {(proposal || group.kind === "back") && (
            <Button size="small" disabled={leaving} onMouseDown={keepFocus} onClick={onConfirm}>
              {proposal ? (isRest ? t.grid.rest : t.grid.all)(known?.name ?? null) : t.grid.keep}
              <Kbd decorative>Enter</Kbd>
            </Button>
          )}
        </div>
      </header>
      <div
        role="listbox"
        aria-multiselectable="true"
        aria-label={t.grid.groupName(heading, group.tiles.length)}
        className={styles.tiles}
      >
        {group.tiles.map((tile) => (
          <TileOption
            key={idOf(tile)}
            tile={tile}
            classes={classes}
            copies={copiesOf(group, tile)}
            selected={selection.chosen.has(idOf(tile))}
            focused={selection.focus === idOf(tile)}
            onState={onState}
          />
        ))}
      </div>
    </section>
  );
}

/** How many open images of a group show the same picture as one. */
const copiesOf = (group: Group, { picture }: Tile): number =>
  picture === null
    ? 1
    : group.tiles.filter((one) => one.picture === picture && !isDone(one)).length;

type TileOptionProps = {
  tile: Tile;
  copies: number;
  classes: LabelClass[];
  selected: boolean;
  focused: boolean;
  onState: OnState;
};

const TileOption = memo(function TileOption(props: TileOptionProps) {
  const { tile, copies, classes, selected, focused, onState } = props;
  const { subject, given } = tile;
  const verdict = given && nameOf(given, classes);
  const colour = classes.find((item) => item.id === given?.classId)?.colour;
  const name = t.grid.tile(subject.name, subject.example_id);
  const isText = typeof subject.excerpt === "string";
  const { state, attempt, report, retry } = useComingUp(idOf(tile), onState);
  const said = state === "failed" ? t.label.tileFailed : verdict;
  // biome-ignore lint/correctness/useExhaustiveDependencies: as somebody turns to it, not as it fails again.
  useEffect(() => {
    if (selected || focused) retry();
  }, [selected, focused]);
  return (
    <div
      role="option"
      aria-selected={selected}
      // What a text says is its name.
      aria-label={isText ? undefined : said ? `${name}: ${said}` : name}
      aria-busy={state === "loading" || undefined}
      title={isText ? name : undefined}
      tabIndex={focused ? 0 : -1}
      className={styles.tile}
      data-tile={idOf(tile)}
      data-focused={focused || undefined}
      data-done={isDone(tile) || undefined}
    >
      <Thumbnail
        key={attempt}
        example={{ ...subject, id: subject.example_id }}
        size={256}
        itselfUpTo={256}
        crispUpTo={PIXELS_UP_TO}
        alt=""
        draggable={false}
        onState={report}
      />
      {state === "failed" && <NotLoadedTile name={name} />}
      {copies > 1 && !isDone(tile) && (
        <span className={styles.copies} title={t.alike.copiesHint}>
          {t.alike.copies(copies)}
        </span>
      )}
      {selected && <Check />}
      {verdict && (
        <span className={styles.verdict} data-verdict={given.verdict}>
          <span
            className={given.verdict === "ood" ? styles.hatch : styles.dot}
            style={colour ? { background: colour } : undefined}
          />
          <span>{given.verdict === "ood" ? t.grid.ood : verdict}</span>
        </span>
      )}
    </div>
  );
});

function Check() {
  return (
    <svg className={styles.check} viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="8" r="8" />
      <path d="M4.5 8.2l2.4 2.4 4.6-5" />
    </svg>
  );
}
