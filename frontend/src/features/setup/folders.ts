import { downloadZip } from "client-zip";
import { plainName } from "../../api/imports";
import type { Packed } from "../../api/types";
import { t } from "../../strings";
import { divided, isLitter } from "./folderContents";
import type { Kind } from "./kinds";

/** A folder as it was dropped. Its files are opened once it is known which are wanted. */
export type Folder = { name: string; kind: Packed; files: Lying[] };
export type Lying = { path: string; open: () => Promise<File> };

/** What is sent of it, and the paths of the files that are not. */
export type Source = {
  name: string;
  kind: Packed;
  files: { path: string; file: File }[];
  left: string[];
};

const ARCHIVE = /\.(zip|tar|parquet)$/i;
/** Tables that a browser cannot look into; the server tells what columns they have. */
const CLOSED = /\.(csv|tsv|jsonl)\.(bz2|xz)$/i;

export const isArchive = (name: string): boolean =>
  ARCHIVE.test(plainName(name)) || CLOSED.test(name);

/** Files as they are, folders with the paths inside them. */
export type Dropped = { files: File[]; folders: Folder[] };

/** What was dropped; rejects where any of it cannot be read. */
export async function readDrop(items: DataTransferItemList): Promise<Dropped> {
  // The list is emptied as soon as the event handler returns, so the entries are taken first.
  const entries = Array.from(items, (item) => item.webkitGetAsEntry()).filter(
    (entry) => entry !== null,
  );
  const files: File[] = [];
  const folders: Folder[] = [];
  for (const entry of entries) {
    if (entry.isDirectory) {
      const found: Lying[] = [];
      await walk(entry as FileSystemDirectoryEntry, "", found);
      folders.push({ name: entry.name, kind: "folder", files: found });
    } else if (!isLitter(entry.name)) {
      files.push(await fileOf(entry as FileSystemFileEntry));
    }
  }
  return { files, folders };
}

async function walk(folder: FileSystemDirectoryEntry, prefix: string, found: Lying[]) {
  const reader = folder.createReader();
  while (true) {
    // A reader hands out at most a hundred entries at a time.
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (entries.length === 0) return;
    for (const entry of entries) {
      const path = prefix + entry.name;
      if (isLitter(entry.isDirectory ? `${path}/` : path)) continue;
      if (entry.isDirectory) await walk(entry as FileSystemDirectoryEntry, `${path}/`, found);
      else found.push({ path, open: () => fileOf(entry as FileSystemFileEntry) });
    }
  }
}

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject));

/** The files of a folder picker, with the paths inside the chosen folder. */
export function readPicked(files: FileList): Folder {
  const all = Array.from(files, (file) => ({ path: file.webkitRelativePath, file }));
  const name = all[0]?.path.split("/")[0] ?? "folder";
  const inside = all.map(({ path, file }) => lying(path.slice(name.length + 1), file));
  return { name, kind: "folder", files: inside.filter(({ path }) => !isLitter(path)) };
}

const lying = (path: string, file: File): Lying => ({ path, open: async () => file });

/** Several folders and files that were dropped at once, as one folder that holds them. */
export function together(files: File[], folders: Folder[]): Folder {
  const [only] = folders;
  if (only && folders.length === 1 && files.length === 0) return only;
  const inside = folders.flatMap(({ name, files }) =>
    files.map(({ path, open }) => ({ path: `${name}/${path}`, open })),
  );
  return {
    name: folders.map((one) => one.name).join(", ") || nameOfLoose(files.map((file) => file.name)),
    kind: folders.length > 0 ? "folder" : "images",
    files: [...inside, ...files.map((file) => lying(file.name, file))],
  };
}

/** What loose files are called together. */
export const nameOfLoose = (names: string[]): string =>
  names.length === 1 && names[0] ? names[0] : t.setup.left.files(names.length);

/** What is sent of a folder into a project that holds something. */
export async function sourceOf({ name, kind, files }: Folder, holds: Kind): Promise<Source> {
  const { wanted, left } = divided(files, holds);
  const opened: Source["files"] = [];
  for (const { path, open } of wanted) opened.push({ path, file: await open() });
  return { name, kind, files: opened, left: left.map(({ path }) => path) };
}

/** Loose files, each an example, as one source. */
export const fromLoose = (images: File[]): Source => ({
  name: t.projects.images(images.length),
  kind: "images",
  files: images.map((file) => ({ path: file.name, file })),
  left: [],
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
