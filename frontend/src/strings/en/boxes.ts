import { plural } from "./words";

/** Boxes around what is in an image. */
export const boxes = {
  count: (count: number) => plural(count, "box", "boxes"),
  none: "Nothing in it",
  noneText: "You looked, and nothing of the classes is in this image.",
  ood: "Wrong kind of image",
  oodShort: "Wrong kind",
  oodText: "None of what is looked for, and not even the right kind of picture.",
  drawWhat: "Draw boxes of",
  send: (count: number) => `Send ${plural(count, "box", "boxes")}`,
  sendNothing: "No boxes yet",
  back: "Back",
  chosen: "Chosen box",
  noneChosen: (count: number) =>
    count === 0
      ? "Drag over the image to draw a box. A key changes the class."
      : "Tab goes from box to box; a click chooses one.",
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
  stage: (count: number) => `Image with ${plural(count, "box", "boxes")}`,
  stageHint:
    "Tab goes from box to box, arrows move the chosen one, Control with arrows makes it larger or smaller. Escape leaves the boxes.",
  says: {
    box: (place: number, of: number, name: string, size: string, x: number, y: number) =>
      `Box ${place} of ${of}: ${name}, ${size} pixels, at ${x}, ${y}`,
    proposal: (name: string, percent: number) => `Suggested: ${name}, ${percent} % sure`,
  },
  hint: {
    draw: (name: string) => `Drag to draw: ${name}`,
  },
  notice: {
    small: (size: string) => `Only ${size} pixels. Is it meant?`,
    tooSmall: "Too small to see. Enlarge the image to draw it.",
    outside: "That is beside the image.",
    noneToSend: "No boxes yet. Shift+N says that nothing is in the image.",
    notEmpty: "There are boxes. Delete them first, or send them.",
    noClass: "Choose a class first.",
    nothingCopied: "Nothing was copied yet.",
    undecided: (count: number) =>
      `${plural(count, "suggestion is", "suggestions are")} undecided. Enter leaves them out, Shift+Enter keeps all.`,
    added: (count: number) => `${plural(count, "box", "boxes")} added`,
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
    repeat: "Boxes of the image before",
    guides: "Lines through the pointer",
    hide: "Hide the boxes",
  },
  keys: {
    arm: "Draw boxes of this class; changes the chosen box",
    send: "Send the boxes",
    none: "Nothing of the classes is in the image",
    keepSend: "Keep all suggestions and send",
    cycle: "From box to box, up close",
    nudge: "Move the chosen box; with Shift ten steps at once",
    pull: "Make it wider or narrower, higher or lower",
    remove: "Delete the box, or say that a suggestion is wrong",
    keep: "Keep the suggestion and go to the next",
    keepAll: "Keep all suggestions",
    threshold: "Show fewer or more suggestions",
    flags: "Hidden, cut off, difficult, crowd",
    duplicate: "Duplicate the box",
    copy: "Copy and paste: the chosen box, or all",
    repeat: "Boxes of the image before",
    undo: "Take back a step, and do it again",
    hide: "Hold down to see the image without boxes",
    tool: "Between drawing and choosing; Escape does so, too",
    clip: "Cut boxes off where the image ends",
    guides: "Lines through the pointer on and off",
    zoom: "Enlarge, reduce, show the whole image",
    pan: "Drag with the right button, or with Space held, to move the image",
  },
};
