import { locale } from "../language";
import { plural } from "./words";

/** Boxes around what is in an image. */
export const boxes = {
  count: (count: number) => plural(count, "box", "boxes"),
  none: "Nothing in it",
  noneShort: "Nothing",
  noneText: "You looked, and nothing of the classes is in this image.",
  ood: "Wrong kind of image",
  oodShort: "Wrong kind",
  oodText: "None of what is looked for, and not even the right kind of picture.",
  /** Beside these: what verdicts and images are called where they are counted, listed and looked for. */
  some: "With boxes",
  either: "Boxes, or nothing in it",
  tips: {
    some: "Somebody has drawn boxes: the image shows one of the project’s classes at least.",
    none: "Somebody has looked, and the image shows nothing of the project’s classes.",
  },
  likelyNone: "Probably nothing of the classes",
  left: "Nothing of the classes, still in the pool",
  inside: (inside: string, name: string, sure: string) =>
    `${inside} that something of them is in it; if so, ${name}, ${sure} sure`,
  drawWhat: "Draw boxes of",
  send: (count: number) => `Send ${plural(count, "box", "boxes")}`,
  sendNothing: "No boxes yet",
  back: "Back",
  both: "Solid: the one on the left. Dashed: what the right one has besides.",
  sendEdited: (count: number) => `Neither: ${plural(count, "box", "boxes")} as on the image`,
  chosen: "Chosen box",
  noneChosen: (count: number, byFinger: boolean) => {
    if (count === 0)
      return `Drag over the image to draw a box${byFinger ? "" : ", or press Shift+B"}. For boxes of another class choose that first.`;
    return byFinger ? "A tap chooses a box." : "Tab goes from box to box; a click chooses one.";
  },
  duplicate: "Duplicate",
  remove: "Delete",
  clip: "Cut at the edge",
  keep: "Keep",
  reject: "Wrong",
  space: "Space",
  flags: {
    occluded: "Hidden",
    truncated: "Cut off",
    difficult: "Difficult",
    crowd: "Crowd",
  },
  flagTexts: {
    occluded: "Something else hides a part of it",
    truncated: "A part of it is outside the image",
    difficult: "Hard to make out, even for people",
    crowd: "Many at once, that cannot be told apart",
  },
  /** What else is said of a box, by names. */
  attributes: {
    title: "Attributes",
    add: "Add an attribute",
    open: (count: number) => (count > 0 ? `Attributes (${count})` : "Attributes"),
    of: (name: string) => `Attributes of this box: ${name}`,
    hint: "What is said of this box besides its class: the files that it came with may bring some. A row without a name and a value counts for nothing.",
    row: (place: number) => `Attribute ${place}`,
    name: "Name",
    kind: "Kind",
    value: "Value",
    kinds: { text: "Text", number: "Number", truth: "Yes or no" },
    yes: "yes",
    no: "no",
    remove: (name: string) => (name ? `Remove ${name}` : "Remove the row"),
    done: "Done",
    faults: {
      empty: "It needs a name.",
      reserved: "This has a place of its own: choose another name.",
      twice: "There is one of this name already.",
      number: "This is no number.",
    },
  },
  stage: (count: number) => `Image with ${plural(count, "box", "boxes")}`,
  stageHint:
    "Tab goes from box to box, Shift+B makes one, arrows move the chosen one, Control with arrows makes it larger or smaller. Escape, pressed until nothing is chosen and no class is in your hand, leaves the boxes: Tab then goes through the page.",
  says: {
    box: (place: number, of: number, name: string, size: string, x: number, y: number) =>
      `Box ${place} of ${of}: ${name}, ${size} pixels, at ${x}, ${y}`,
    proposal: (name: string, percent: number) => `Suggested: ${name}, ${percent} % sure`,
    besides: (name: string) => `What the other one has besides: ${name}`,
  },
  hint: {
    draw: (name: string) => `Drag to draw: ${name}`,
  },
  notice: {
    small: (size: string) => `Only ${size} pixels. Is it meant?`,
    tooSmall: "Too small to see. Enlarge the image to draw it.",
    outside: "That is beside the image.",
    noneToSend: (open: number, isTouch: boolean) => {
      if (isTouch)
        return `No boxes yet. ${open > 0 ? "Keep suggestions, draw" : "Draw"} one, or say “Nothing in it”.`;
      const keeps = open > 0 ? "Shift+Enter keeps all suggestions and sends them, " : "";
      return `No boxes yet. ${keeps}Shift+N says that nothing is in the image.`;
    },
    notEmpty: "There are boxes. Delete them first, or send them.",
    noClass: "Choose a class first.",
    nothingCopied: "Nothing was copied yet.",
    before: (count: number, byFinger: boolean) => {
      const how = byFinger ? "“Do it again” below the image" : "Ctrl+Shift+Z";
      return count === 1
        ? `There was 1 box here before you said that. ${how} brings it back.`
        : `There were ${count} boxes here before you said that. ${how} brings them back.`;
    },
    removed: (count: number) =>
      count === 0
        ? "The class in your hand was removed. Choose another."
        : `${plural(count, "box is", "boxes are")} gone: the class was removed.`,
    undecided: (count: number) =>
      `${plural(count, "suggestion is", "suggestions are")} undecided. Enter leaves them out, Shift+Enter keeps all.`,
    added: (count: number, left: number) =>
      left === 0
        ? `${plural(count, "box", "boxes")} added`
        : `${plural(count, "box", "boxes")} added, ${left.toLocaleString(locale)} not: beside the image, or of a class that was removed.`,
    kept: (count: number) => `${plural(count, "suggestion", "suggestions")} kept`,
    clipped: (count: number) => `${plural(count, "box", "boxes")} cut at the edge`,
  },
  suggestions: {
    title: "Suggested boxes",
    from: "Show suggestions from",
    left: (open: number, below: number) =>
      below > 0 ? `${open} undecided, ${below} as dots` : `${open} undecided`,
    keepAll: "Keep all",
  },
  tools: {
    title: "Tools",
    drawing: "Every drag draws; switch to choosing and moving",
    choosing: "Drags move boxes; switch to drawing",
    undo: "Take back the last step",
    redo: "Do it again",
    repeat: "Boxes of the last image that had any",
    guides: "Lines through the pointer",
    hide: "Hide the boxes",
  },
  exports: { coco: "Images and boxes as COCO (zip)", yolo: "Images and boxes as YOLO (zip)" },
  exported: (some: number, none: number, ood: number, unsure: number) =>
    `${plural(some, "image", "images")} with boxes, ${none.toLocaleString(locale)} in which nothing is, ${ood.toLocaleString(locale)} of the wrong kind (OOD), ${unsure.toLocaleString(locale)} unsure.`,
  allExports: "VOC, CVAT, Label Studio, Parquet …",
  /** What fingers do, where there are no keys. */
  touch: {
    label: [
      "One finger draws a box of the class that is chosen below the image. The first tool under the image lets it choose and move boxes instead.",
      "Tap a box to choose it: pull its corners, or the grip in its middle. What can be done with it is below the image.",
      "Two fingers enlarge the image and move it.",
      "Dashed boxes are suggestions: tap one and keep it, or say that it is wrong; “Keep all” keeps those that are shown.",
      "“Nothing in it” and “Wrong kind of image” are verdicts like any other, and help.",
      "Unsure: you cannot tell. Skip: leave it for later. Any of the small ones below can be tapped to change what you said.",
    ],
    review: [
      "Tap the label that is right: the one on the left is solid, what the right one has besides is dashed.",
      "Or tap a dashed box and keep it, draw others, and send what is on the image.",
    ],
  },
  setup: {
    basicsHint:
      "Only the classes you want. For an image in which nothing of them is, and for the wrong kind of image, annotators have a key each.",
    imagesHint:
      "A zip or tar, a Parquet file, or a folder, also as COCO, YOLO, VOC, CVAT, LabelMe, Label Studio or Karat export them. What becomes of it is shown before anything is stored. Pool images are to be labeled; evaluation images come with their boxes in one of these formats, and measure the model.",
    takes:
      "Images are read from JPEG, PNG, WebP, HEIC, AVIF, BMP, GIF, TIFF and Parquet, boxes from files of YOLO, Pascal VOC, CVAT, COCO, LabelMe and Label Studio.",
    splitHints: {
      pool: "To be labeled. Boxes that come with the files become verdicts.",
      evaluation: "Images that come with all their boxes, on which the model is measured.",
      auxiliary_ood: "Images known to be of the wrong kind.",
    },
    goals: {
      best_model:
        "A model that finds the things of your classes. It asks about images that it can learn most from.",
      find_all:
        "Every image that has something of your classes in it. It asks about the most likely ones first.",
    },
    costIn: "Price of an image with its boxes",
    costOod: "Price of “wrong kind of image”",
    paysFor: (boxes: number, ood: number) =>
      `A round then pays for ${plural(boxes, "image", "images")} with boxes or nothing in them, or for ${ood.toLocaleString(locale)} of the wrong kind, or a mix. Unsure costs as much as boxes; a skip is free.`,
    shifted: "Planted shifts, % of images",
    shiftedHint:
      "In so many images one suggested box is put a little beside its place. Who keeps it has not looked; the overview counts that for each annotator.",
    unlabeledHint: "For moving a whole project.",
    withoutClass: (count: number) =>
      `${count.toLocaleString(locale)} without boxes, or with some of no class: refused for evaluation`,
    unknownClasses: (names: string[]) =>
      `Images with boxes of ${names.slice(0, 6).join(", ")}${names.length > 6 ? " …" : ""} come without their boxes: the project has no such class.`,
  },
  keys: {
    arm: "Draw boxes of this class; changes the chosen box",
    send: "Send the boxes",
    sendOwn: "Send what is on the image: neither of the two",
    none: "Nothing of the classes is in the image",
    keepSend: "Keep all suggestions and send",
    put: "Put a box in the middle, to be moved by arrows",
    leave: "Escape until the boxes are left: Tab then goes through the page",
    cycle: "From box to box, up close",
    nudge: "Move the chosen box; with Shift ten steps at once",
    pull: "Make it wider or narrower, higher or lower",
    remove: "Delete the box, or say that a suggestion is wrong",
    keep: "Keep the suggestion and go to the next",
    keepAll: "Keep all suggestions",
    threshold: "Show more or fewer suggestions",
    flags: "Hidden, cut off, difficult, crowd",
    attributes: "Change the attributes of the box",
    duplicate: "Duplicate the box",
    copy: "Copy and paste: the chosen box, or all",
    repeat: "Boxes of the last image that had any",
    undo: "Take back a step, and do it again",
    hide: "Hold down to see the image without boxes",
    tool: "Between drawing and choosing; Escape does so, too",
    clip: "Cut boxes off where the image ends",
    guides: "Lines through the pointer on and off",
    zoom: "Enlarge, reduce, show the whole image",
    pan: "Drag with the right button, or with Space held, to move the image",
  },
};
