import { t } from "../../strings";
import { Kbd } from "../../ui/Kbd";
import { keepFocus } from "../../ui/keepFocus";
import { dragged, droppedAt, letGo, targetAt } from "./dragging";
import type { RankingEditor, RankingView } from "./editor";
import { Grip } from "./Grip";
import { keyOfPlace } from "./model";
import styles from "./Order.module.css";

type OrderProps = { editor: RankingEditor; view: RankingView };

/** The order as far as it goes, to be seen at a glance and put right by hand. */
export function Order({ editor, view }: OrderProps) {
  const { order, wrong } = view.ranking;
  const words = t.instructions;
  const end = droppedAt(editor, () => ({ before: order.length }));
  return (
    <section className={styles.order} aria-label={words.order} {...end}>
      <ol className={styles.places}>
        {order.map((place, index) => (
          <li
            key={place.join()}
            className={styles.place}
            data-tied={place.length > 1 || undefined}
            {...droppedAt(editor, (event) => targetAt(event, index))}
          >
            <span className={styles.number}>{words.place(index + 1)}</span>
            <span className={styles.tied}>
              {place.map((id) => (
                <Placed key={id} editor={editor} id={id} last={order.length - 1} at={index} />
              ))}
            </span>
          </li>
        ))}
        {order.length === 0 && <li className={styles.empty}>{words.noOrder}</li>}
      </ol>
      <div
        className={styles.wrong}
        data-empty={wrong.length === 0 || undefined}
        {...droppedAt(editor, () => "wrong" as const)}
      >
        <span className={styles.number}>{words.wrongOnes}</span>
        {wrong.map((id) => (
          <Placed key={id} editor={editor} id={id} />
        ))}
        {wrong.length === 0 && <span className={styles.empty}>{words.noneWrong}</span>}
      </div>
    </section>
  );
}

type PlacedProps = {
  editor: RankingEditor;
  id: number;
  /** The place it has, and the last one there is; without them it is wrong. */
  at?: number;
  last?: number;
};

/** One example by its number; its arrows move it, and a click takes it back. */
function Placed({ editor, id, at, last }: PlacedProps) {
  const index = editor.ids.indexOf(id);
  const words = t.instructions;
  const begins = editor.members[index]?.fields.responses[0] ?? "";
  return (
    <span className={styles.one} {...dragged(id)}>
      <Grip />
      <button
        type="button"
        className={styles.name}
        title={begins.slice(0, 200)}
        onClick={(event) => {
          letGo(event);
          editor.move(id, "open");
        }}
      >
        <Kbd decorative>{keyOfPlace(index)}</Kbd>
        <span className="visually-hidden">{words.takeBack(index + 1)}: </span>
        <span className={styles.begins} dir="auto">
          {begins.slice(0, 60)}
        </span>
      </button>
      {at !== undefined && last !== undefined && (
        <>
          {step(-1, at === 0 && editor.getView().ranking.order[at]?.length === 1)}
          {step(1, at === last && editor.getView().ranking.order[at]?.length === 1)}
        </>
      )}
    </span>
  );

  function step(by: -1 | 1, disabled: boolean) {
    return (
      <button
        type="button"
        className={styles.step}
        aria-label={by < 0 ? words.up(index + 1) : words.down(index + 1)}
        disabled={disabled}
        onMouseDown={keepFocus}
        onClick={() => editor.step(id, by)}
      >
        <svg viewBox="0 0 16 16" width="12" height="12" aria-hidden="true">
          <path d={by < 0 ? "M3 10l5-5 5 5" : "M3 6l5 5 5-5"} />
        </svg>
      </button>
    );
  }
}
