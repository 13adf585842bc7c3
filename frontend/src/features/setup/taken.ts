import type { Medium } from "../../strings/medium";
import { isExample } from "./folderContents";
import { type Folder, fromLoose, isArchive, type Source, sourceOf } from "./folders";
import { type Kind, kinds } from "./kinds";
import { isAboutKnown, isDocument, isTable, readTable, type Table } from "./tables";

/** What was dropped into a project, by what becomes of it. */
export type Taken = {
  /** Each becomes an import that brings examples. */
  contents: (File | Source)[];
  /** Tables that say something of examples that are there. */
  about: Table[];
  /** Documents of other tools that do. */
  labels: File[];
  /** Paths of what is not sent. */
  left: string[];
};

export async function takenOf(files: File[], folders: Folder[], holds: Kind): Promise<Taken> {
  const medium: Medium = kinds[holds].medium;
  const tables = files.filter((file) => isTable(file.name));
  const read = await Promise.all(tables.map(readTable));
  // Tables bring texts, but for those that can only say something of texts that are there.
  const about = medium === "text" ? read.filter(isAboutKnown) : read;
  const labels = medium === "text" ? [] : files.filter((file) => isDocument(file.name));
  const isSaying = (file: File) => labels.includes(file) || about.some((one) => one.file === file);
  const isLabels = (name: string) => isTable(name) || isDocument(name);
  const loose = files.filter((file) => isExample(file.name, medium));
  const sources = await Promise.all(folders.map((folder) => sourceOf(folder, holds)));
  const isRead = (name: string) => isArchive(name) || isExample(name, medium) || isLabels(name);
  return {
    contents: [
      ...sources.filter((source) => source.files.length > 0),
      ...files.filter((file) => isArchive(file.name) || (isLabels(file.name) && !isSaying(file))),
      ...(loose.length === 1 ? loose : []),
      ...(loose.length > 1 ? [fromLoose(loose)] : []),
    ],
    about,
    labels,
    left: [
      ...files.map(({ name }) => name).filter((name) => !isRead(name)),
      ...sources.flatMap(({ name, files, left }) =>
        files.length + left.length > 0 ? left : [`${name}/`],
      ),
    ],
  };
}
