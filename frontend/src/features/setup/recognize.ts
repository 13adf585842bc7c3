import { plainName } from "../../api/imports";
import { DOCUMENT, isExample, METADATA, nameOf, stemOf, TABLE } from "./folderContents";
import { rowsIn } from "./instructionRows";
import type { Kind } from "./kinds";

/** A file of a folder or an archive; how it begins and ends, null where nobody can look inside. */
export type Looked = { path: string; peek: () => Promise<string | null> };

/** What a data set holds, whether anything in it may say what an example is, and what else it may be. */
export type Recognized = { holds: Kind; isLabeled: boolean; others?: Kind[] };

/** Files of a kind that are looked into: alike as they are, a few tell. */
const LOOKED_INTO = 5;
/** What says nothing of the images that lie in a folder called so. */
const NO_CLASS =
  /^(train(ing)?|test(ing)?|val(id|idation)?|dev|eval(uation)?|pool|data(set)?|images?|imgs?|jpegimages|pictures|photos|texts?|학습|훈련|검증|평가|테스트|이미지|사진|텍스트)[\s_-]*\d*$/i;
const YOLO_ROW = /^\d+(\s+-?\d*\.?\d+(e-?\d+)?){4,}\s*$/i;
const OF_YOLO = /(^|\/)(data\.ya?ml|obj\.names)$/i;
/** Documents of COCO, Label Studio and LabelMe. */
const HAS_BOXES = /"(bbox|shape_type|rectanglelabels)"\s*:/;
const CALLED_BOXES = /(\.coco|(^|\/)instances_[^/]*)\.json$/i;

/** What the files of a folder or an archive are; null if there is nothing that an import reads. */
export async function recognize(files: Looked[]): Promise<Recognized | null> {
  const images = files.filter(({ path }) => isExample(path, "image"));
  const called = new Set(images.map(({ path }) => nameOf(path)));
  const isAbout = ({ path }: Looked) => called.has(nameOf(plainName(path)));
  const texts = files.filter(({ path }) => isExample(plainName(path), "text"));
  const others = texts.filter((one) => !isAbout(one));
  const tables = files.filter(({ path }) => TABLE.test(plainName(path)));
  const documents = files.filter(({ path }) => DOCUMENT.test(plainName(path)));
  const hasImages = images.length > 0;
  if (!hasImages && (await areOfInstructions(tables.length > 0 ? tables : documents)))
    return { holds: "instructions", isLabeled: false, others: ["text"] };
  const isOfTables = !hasImages && tables.length > 0;
  if (others.length > images.length || isOfTables) {
    const isLabeled = tables.length > 0 || hasClassFolders(texts);
    // Of what nobody can look into it may be either.
    return { holds: "text", isLabeled, ...(isOfTables && { others: ["instructions"] }) };
  }
  if (!hasImages) return null;
  if (await drawsBoxes(files, documents, isAbout)) return { holds: "boxes", isLabeled: true };
  const isSaid = files.some(({ path }) => {
    const plain = plainName(path);
    return METADATA.test(plain) || /\.cls$/i.test(plain);
  });
  const isLabeled = documents.length > 0 || isSaid || hasClassFolders(images);
  return { holds: "image", isLabeled };
}

const hasClassFolders = (files: Looked[]): boolean =>
  files.some(({ path }) => {
    const folder = path.split("/").at(-2);
    return folder !== undefined && !NO_CLASS.test(folder);
  });

/** Whether the first of tables or documents are all of instructions, as far as one can look into them. */
async function areOfInstructions(files: Looked[]): Promise<boolean> {
  let isSure = false;
  for (const { path, peek } of files.slice(0, LOOKED_INTO)) {
    const text = await peek();
    if (text === null) continue;
    if (rowsIn(path, text) !== "surely") return false;
    isSure = true;
  }
  return isSure;
}

/** By what files say that are called like images, or by what they are called where that is all. */
async function drawsBoxes(
  files: Looked[],
  documents: Looked[],
  isAbout: (one: Looked) => boolean,
): Promise<boolean> {
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
  if (documents.some(({ path }) => CALLED_BOXES.test(plainName(path)))) return true;
  return anySays(documents, (text) => HAS_BOXES.test(text), false);
}

/** Whether one of the first says so; `unseen` of files that nobody can look into. */
async function anySays(
  files: Looked[],
  says: (text: string) => boolean,
  unseen: boolean,
): Promise<boolean> {
  for (const { peek } of files.slice(0, LOOKED_INTO)) {
    const text = await peek();
    if (text === null ? unseen : says(text)) return true;
  }
  return false;
}
