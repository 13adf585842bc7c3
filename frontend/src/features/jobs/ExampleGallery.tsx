import type { ShownExample } from "../../api/results";
import type { LabelClass } from "../../api/types";
import { Gallery } from "../../media/Gallery";
import { t } from "../../strings";
import { factsOf } from "./facts";
import styles from "./JobsScreen.module.css";

const { subset: text } = t.jobs;

type ExampleGalleryProps = {
  classes: LabelClass[];
  examples: ShownExample[];
  /** Said when there are none. */
  none: string;
};

/** Labeled images with their labels, and the truth where it is another. */
export function ExampleGallery({ classes, examples, none }: ExampleGalleryProps) {
  if (examples.length === 0) return <p>{none}</p>;
  const nameOf = (id: number) => classes.find((one) => one.id === id)?.name ?? String(id);
  return (
    <Gallery
      wide={examples.some((one) => one.rank !== undefined)}
      images={examples.map((one) => {
        const name = nameOf(one.class_id);
        const isWrong = one.true_class_id != null && one.true_class_id !== one.class_id;
        const truth = isWrong && one.true_class_id != null ? nameOf(one.true_class_id) : null;
        return {
          id: one.example_id,
          text: text.image(name, one.loss, truth),
          wrong: isWrong,
          caption: (
            <>
              <span>{name}</span>
              {truth && <span className={styles.truth}>{text.truth(truth)}</span>}
              {one.rank !== undefined && <Facts example={one} />}
            </>
          ),
        };
      })}
    />
  );
}

/** Why an image is kept or dropped: its place, what it was worth, and what speaks for it. */
function Facts({ example }: { example: ShownExample }) {
  return (
    <dl className={styles.facts}>
      {factsOf(example).map(([name, value]) => (
        <div key={name}>
          <dt>{text.facts[name] ?? name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
