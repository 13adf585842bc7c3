import { t, words } from "../../strings";
import { Notice } from "../../ui/State";
import { type Holds, kindsOf } from "./folderContents";

type LeftBehindProps = {
  /** Paths of the files that were dropped, and are not sent. */
  paths: string[];
  holds: Holds;
  /** Whether that is all that was dropped. */
  isAll?: boolean;
};

/** Says of what was dropped how much is not sent, of which kinds, and what would be. */
export function LeftBehind({ paths, holds, isAll = false }: LeftBehindProps) {
  const [first] = paths;
  if (first === undefined) return null;
  const { left } = words[holds === "text" ? "text" : "image"].setup;
  const said = paths.length === 1 ? left.one(first) : left.many(paths.length, kindsOf(paths));
  return (
    <Notice tone={isAll ? "bad" : "gold"}>
      {said} {holds === "boxes" ? t.boxes.setup.takes : left.takes}
    </Notice>
  );
}
