import { plainName } from "../../api/imports";
import { DOCUMENT, isExample, METADATA, nameOf, stemOf, TABLE } from "./folderContents";
import type { Kind } from "./kinds";
import { columnsIn, documentHoldsRows, holdsRows } from "./tables";

/** A file of a folder or an archive; how it begins and ends, null where nobody can look inside. */
export type Looked = { path: string; peek: () => Promise<string | null> };

/** What a data set holds, and whether anything in it may say what an example is. */
export type Recognized = { holds: Kind; isLabeled: boolean };

/** Files of a kind that are looked into: alike as they are, a few tell. */
const LOOKED_INTO = 5;
/** What says nothing of the images that lie in a folder called so. */
const NO_CLASS =
  /^(train(ing)?|test(ing)?|val(id|idation)?|dev|eval(uation)?|pool|data(set)?|images?|imgs?|jpegimages|pictures|photos|texts?|학습|훈련|검증|평가|테스트|이미지|사진|텍스트)[\s_-]*\d*$/i;
const YOLO_ROW = /^\d+(\s+-?\d*\.?\d+(e-?\d+)?){4,}\s*$/i;
const OF_YOLO = /(^|\/)(data\.ya?ml|obj\.names)$/i;
/** What is said of a data set, and is no text of it. */
const ABOUT_ALL = /^(read_?me|licen[cs]e|notice|changelog|citation|data_?set_?card)$/i;
/** Documents of COCO, Label Studio and LabelMe. */
const HAS_BOXES = /"(bbox|shape_type|rectanglelabels)"\s*:/;
const CALLED_BOXES = /(\.coco|(^|\/)instances_[^/]*)\.json$/i;

/** What the files of a folder or an archive are; null if there is nothing that an import reads. */
export async function recognize(files: Looked[]): Promise<Recognized | null> {
  const images = files.filter(({ path }) => isExample(path, "image"));
  const called = new Set(images.map(({ path }) => nameOf(path)));
  const isAbout = ({ path }: Looked) => called.has(nameOf(plainName(path)));
  const texts = files.filter(({ path }) => isExample(plainName(path), "text"));
  const others = texts.filter((one) => !isAbout(one) && !ABOUT_ALL.test(nameOf(one.path)));
  const tables = files.filter(({ path }) => TABLE.test(plainName(path)));
  if (images.length === 0 && (await holdInstructions(files, others, tables)))
    return { holds: "instructions", isLabeled: false };
  if (others.length > images.length || (images.length === 0 && tables.length > 0))
    return { holds: "text", isLabeled: tables.length > 0 || hasClassFolders(texts) };
  if (images.length === 0) return null;
  if (await drawsBoxes(files, isAbout)) return { holds: "boxes", isLabeled: true };
  const isSaid = files.some(({ path }) => {
    const plain = plainName(path);
    return METADATA.test(plain) || DOCUMENT.test(plain) || /\.cls$/i.test(plain);
  });
  return { holds: "image", isLabeled: isSaid || hasClassFolders(images) };
}

const hasClassFolders = (files: Looked[]): boolean =>
  files.some(({ path }) => {
    const folder = path.split("/").at(-2);
    return folder !== undefined && !NO_CLASS.test(folder);
  });

/** By the columns of its tables, or what is in its documents where there are neither these nor texts. */
async function holdInstructions(
  files: Looked[],
  texts: Looked[],
  tables: Looked[],
): Promise<boolean> {
  const inColumns = (text: string, path: string) => holdsRows(columnsIn(plainName(path), text));
  if (await anySays(tables, inColumns, false)) return true;
  if (texts.length + tables.length > 0) return false;
  const documents = files.filter(({ path }) => DOCUMENT.test(plainName(path)));
  return anySays(documents, documentHoldsRows, false);
}

/** By what files say that are called like images, or by what they are called where that is all. */
async function drawsBoxes(files: Looked[], isAbout: (one: Looked) => boolean): Promise<boolean> {
  const pictures = new Set(
    files.flatMap(({ path }) => (isExample(path, "image") ? [stemOf(path)] : [])),
  );
  const xml = files.filter(
    (one) => /\.xml$/i.test(plainName(one.path)) && (isAbout(one) || /annotations/i.test(one.path)),
  );
  if (await anySays(xml, (text) => /<annotations?\b/.test(text), true)) return true;
  const isYolo = files.some(({ path }) => OF_YOLO.test(path));
  const drawn = files.filter((one) => {
    if (!/\.txt$/i.test(one.path) || !isAbout(one)) return false;
    return /(^|\/)labels\//i.test(one.path) || pictures.has(stemOf(one.path));
  });
  const inLabels = drawn.some(({ path }) => /(^|\/)labels\//i.test(path));
  const isDrawing = (text: string) => {
    const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
    return lines.length > 0 ? YOLO_ROW.test(lines[0] ?? "") : isYolo;
  };
  if (await anySays(drawn, isDrawing, isYolo || inLabels)) return true;
  const said = files.filter(({ path }) => DOCUMENT.test(plainName(path)));
  if (said.some(({ path }) => CALLED_BOXES.test(plainName(path)))) return true;
  return anySays(said, (text) => HAS_BOXES.test(text), false);
}

/** Whether one of the first says so; `unseen` of files that nobody can look into. */
async function anySays(
  files: Looked[],
  says: (text: string, path: string) => boolean,
  unseen: boolean,
): Promise<boolean> {
  for (const { path, peek } of files.slice(0, LOOKED_INTO)) {
    const text = await peek();
    if (text === null ? unseen : says(text, path)) return true;
  }
  return false;
}
