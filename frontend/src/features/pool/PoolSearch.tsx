import type { Project } from "../../api/types";
import type { likeThese } from "./filters";
import { TextSearch } from "./TextSearch";
import { WordSearch } from "./WordSearch";

type PoolSearchProps = {
  project: Project;
  /** Words that have to be in a text. */
  search: string;
  /** Words for what images show. */
  words: string;
  onSearch: (search: string) => void;
  onLike: (to: Parameters<typeof likeThese>[1]) => void;
};

/** Looks for words: in texts, or for what images show. */
export function PoolSearch({ project, search, words, onSearch, onLike }: PoolSearchProps) {
  if (project.medium === "text") return <TextSearch value={search} onChange={onSearch} />;
  return (
    <WordSearch
      projectId={project.id}
      value={words}
      onFound={(file, found) => onLike({ file, words: found })}
      onEnd={() => onLike(null)}
    />
  );
}
