import { downloadZip } from "client-zip";
import { plainName } from "../../api/imports";
import type { Packed } from "../../api/types";
import { t } from "../../strings";
import { type Holds, mayBeWanted, wantedOf } from "./folderContents";

export type Source = { name: string; kind: Packed; files: { path: string; file: File }[] };

const ARCHIVE = /\.(zip|tar|parquet)$/i;
/** Tables that a browser cannot look into; the server tells what columns they have. */
const CLOSED = /\.(csv|tsv|jsonl)\.(bz2|xz)$/i;

export const isArchive = (name: string): boolean =>
  ARCHIVE.test(plainName(name)) || CLOSED.test(name);

/** What was dropped: files as they are, folders with the paths inside them. */
export async function readDrop(
  items: DataTransferItemList,
  holds: Holds,
): Promise<{ files: File[]; folders: Source[] }> {
  // The list is emptied as soon as the event handler returns, so the entries are taken first.
  const entries = Array.from(items, (item) => item.webkitGetAsEntry()).filter(
    (entry) => entry !== null,
  );
  const files: File[] = [];
  const folders: Source[] = [];
  for (const entry of entries) {
    if (entry.isDirectory) {
      const found: Source["files"] = [];
      await walk(entry as FileSystemDirectoryEntry, "", holds, found);
      folders.push({ name: entry.name, kind: "folder", files: wantedOf(found, holds) });
    } else {
      files.push(await fileOf(entry as FileSystemFileEntry));
    }
  }
  return { files, folders };
}

async function walk(
  folder: FileSystemDirectoryEntry,
  prefix: string,
  holds: Holds,
  found: Source["files"],
) {
  const reader = folder.createReader();
  while (true) {
    // A reader hands out at most a hundred entries at a time.
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (entries.length === 0) return;
    for (const entry of entries) {
      const path = prefix + entry.name;
      if (entry.isDirectory)
        await walk(entry as FileSystemDirectoryEntry, `${path}/`, holds, found);
      else if (mayBeWanted(path, holds))
        found.push({ path, file: await fileOf(entry as FileSystemFileEntry) });
    }
  }
}

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject));

/** The files of a folder picker, with the paths inside the chosen folder. */
export function readPicked(files: FileList, holds: Holds): Source {
  const all = Array.from(files, (file) => ({ path: file.webkitRelativePath, file }));
  const name = all[0]?.path.split("/")[0] ?? "folder";
  const inside = all.map(({ path, file }) => ({ path: path.slice(name.length + 1), file }));
  return {
    name,
    kind: "folder",
    files: wantedOf(inside, holds),
  };
}

/** Loose files, each an example, as one source. */
export const fromLoose = (images: File[]): Source => ({
  name: t.projects.images(images.length),
  kind: "images",
  files: images.map((file) => ({ path: file.name, file })),
});

/** A zip of the source, stored as it is: images are compressed already. */
export async function pack(source: Source): Promise<Blob> {
  const files = source.files.map(({ path, file }) => ({
    name: path,
    input: file,
    lastModified: new Date(file.lastModified),
  }));
  return downloadZip(files).blob();
}
