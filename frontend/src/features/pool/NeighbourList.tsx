import { useQuery } from "@tanstack/react-query";
import { neighboursQuery } from "../../api/pool";
import type { Project } from "../../api/types";
import { Thumbnail } from "../../media/Thumbnail";
import { t } from "../../strings";
import { stateNames } from "../../tasks/stateNames";
import { Said } from "../../ui/Said";
import { Loading, Notice, Skeleton } from "../../ui/State";
import styles from "./DetailPanel.module.css";

const { detail: text } = t.pool;

type NeighbourListProps = {
  project: Project;
  exampleId: number;
  onShow: (id: number) => void;
};

export function NeighbourList({ project, exampleId, onShow }: NeighbourListProps) {
  const names = stateNames(project);
  const found = useQuery(neighboursQuery(project.id, exampleId));
  if (found.error)
    return (
      <Notice>
        <Said>{found.error}</Said>
      </Notice>
    );
  if (!found.data) {
    return (
      <Loading>
        <Skeleton height="11rem" />
      </Loading>
    );
  }
  return (
    <>
      <ul className={styles.neighbours}>
        {found.data.items.map((one) => {
          const name = `${one.name}, ${text.similarity(one.similarity.toFixed(2))}`;
          return (
            <li key={one.id}>
              <button type="button" aria-label={name} title={name} onClick={() => onShow(one.id)}>
                <Thumbnail example={one} alt="" loading="lazy" />
                <span>{one.label ?? names[one.state]}</span>
                <small>{one.similarity.toFixed(2)}</small>
              </button>
            </li>
          );
        })}
      </ul>
      <p className={styles.hint}>{text.neighboursBy(found.data.features)}</p>
    </>
  );
}
