import { useQuery } from "@tanstack/react-query";
import { lookAlikesQuery } from "../../api/pool";
import type { Filters, Project } from "../../api/types";
import { Thumbnail } from "../../media/Thumbnail";
import { t } from "../../strings";
import { traitsOf } from "../../tasks/traits";
import { Button } from "../../ui/Button";
import styles from "./LookAlikes.module.css";

const PICTURES = { image: 4, text: 1 };

type LookAlikesProps = {
  project: Project;
  filters: Filters;
  /** Whether nothing is looked for yet. */
  isUnfiltered: boolean;
  onChange: (filters: Partial<Filters>) => void;
};

/** What is none of the classes, and looks like one that nobody has named. */
export function LookAlikes({ project, filters, isUnfiltered, onChange }: LookAlikesProps) {
  const isOfOod = filters.state === "ood";
  const mayBe = traitsOf(project).namesOneClass && (isOfOod || isUnfiltered);
  const found = useQuery({ ...lookAlikesQuery(project.id), enabled: mayBe });
  const groups = found.data?.items ?? [];
  if (!mayBe || groups.length === 0) return null;
  const words = t.pool.lookAlikes;
  if (!isOfOod) {
    return (
      <p className={styles.hint}>
        {words.hint(groups.length)}
        <Button size="small" onClick={() => onChange({ state: "ood" })}>
          {words.look}
        </Button>
      </p>
    );
  }
  return (
    <section className={styles.groups} aria-label={words.title}>
      <h3>{words.title}</h3>
      <p>{words.text}</p>
      <ul>
        {groups.map(({ example_ids, similarity_min, size }) => (
          <li key={example_ids.join()}>
            <button
              type="button"
              onClick={() => onChange({ similar_to: example_ids.join(","), similarity_min })}
            >
              <span className={styles.pictures}>
                {example_ids.slice(0, PICTURES[project.medium]).map((id) => (
                  <Thumbnail key={id} example={{ id }} alt="" loading="lazy" />
                ))}
              </span>
              {words.size(size)}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
