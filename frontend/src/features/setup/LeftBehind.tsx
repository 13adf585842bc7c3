import { t, words } from "../../strings";
import { Notice } from "../../ui/State";
import { kindsOf } from "./folderContents";
import { type Kind, kinds } from "./kinds";

type LeftBehindProps = {
  /** Paths of the files that were dropped, and are not sent. */
  paths: string[];
  holds: Kind;
  /** Whether that is all that was dropped. */
  isAll?: boolean;
};

/** Says of what was dropped how much is not sent, of which kinds, and what would be. */
export function LeftBehind({ paths, holds, isAll = false }: LeftBehindProps) {
  const [first] = paths;
  if (first === undefined) return null;
  const { left } = words[kinds[holds].medium].setup;
  const { boxes, setup } = t;
  const takes: Partial<Record<Kind, string>> = {
    boxes: boxes.setup.takes,
    instructions: setup.ranking.takes,
  };
  const said = paths.length === 1 ? left.one(first) : left.many(paths.length, kindsOf(paths));
  return (
    <Notice tone={isAll ? "bad" : "gold"}>
      {said} {takes[holds] ?? left.takes}
    </Notice>
  );
}
