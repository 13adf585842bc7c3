import type { Overrides, Rewording } from "../medium";
import type { en } from ".";

/** What is said of images, said of texts. */
export const rewording: Rewording = {
  pattern: /\b(?:an (?:evaluation )?)?(?:images?|pictures?|photographs?)\b/giu,
  say: (found) => {
    const isMany = /s$/i.test(found);
    const isFirst = /^[A-Z]/.test(found);
    const article = /^an evaluation /i.test(found)
      ? "an evaluation "
      : /^an /i.test(found)
        ? "a "
        : "";
    const words = `${article}${isMany ? "texts" : "text"}`;
    return isFirst ? words.charAt(0).toUpperCase() + words.slice(1) : words;
  },
};

/** Sentences that say something else of texts than of images. */
export const overrides: Overrides<typeof en> = {
  advice: {
    cannotTell: {
      change: (model: string) =>
        `Choose the model “${model}” in the settings: it knows most of language from the start.`,
      larger:
        "Choose a published network, or a model that learns from the texts themselves; read some texts yourself, whether they can be told apart at all.",
    },
    time: { once: (time: string) => `Before, once, ${time} to read the texts for the first time.` },
  },
  alike: {
    file: "Find by a text…",
    drop: "Drop a file with a text to find what is like it",
    looking: "Reading the text…",
    toFile: "a text",
    neverText:
      "Karat looks for texts that say the same, nearly word for word. It compares them by the features that rounds work with.",
    none: "No text is there twice",
    group: (id: number) => `Says the same as text ${id}`,
    copiesHint: "The same text several times: one key judges all",
  },
  common: { phases: { fit: "Fit the texts", check: "Look for the texts" } },
  exports: {
    unlabeledHint: "For moving a whole project.",
    formats: {
      label_studio: {
        title: "Label Studio",
        text: "Tasks as JSON, each with its text, and the labeling interface. A skip is a cancelled annotation; OOD and unsure are choices of their own.",
      },
    },
  },
  glossary: {
    words: {
      none: {
        word: "None of the classes",
        text: "A verdict: the text belongs to none of the project’s classes. None where space is short; experts say out of distribution, or OOD.",
      },
    },
    terms: {
      purity: {
        text: "How likely a text belongs to one of the classes, to the model; the higher, the likelier.",
      },
    },
  },
  grid: {
    preview: "The whole text",
    previewHint: "Point at a card, or move to it, to read all of it here.",
    larger: "Read it large:",
    helpRows: {
      move: "Move from card to card; with Shift choose on the way",
      look: "Read the whole text; arrows and page keys then move it",
    },
  },
  label: {
    imageAlt: (name: string) => (name ? `Text to judge: ${name}` : "Text to judge"),
    waiting: { steps: { embed: "Reading the texts", score: "Going through all texts" } },
    helpRows: { zoom: "Letters of one width" },
  },
  overview: {
    allExports: "Label Studio, doccano, Parquet …",
    firstSteps: {
      steps: {
        images: {
          text: "A table, a folder or an archive; you see what becomes of it before anything is stored.",
        },
      },
    },
    job: { resize: "Resizing" },
  },
  pool: {
    keysUnlit: "Arrows or J and K move, X selects, S finds similar texts, Enter opens, Esc closes.",
  },
  setup: {
    beforeImport: "Before it is imported: where to, and labels",
    imagesHint:
      "A table (CSV), JSON Lines, a Parquet file, or files and folders of texts, also as Label Studio, doccano or Karat export them. What becomes of it is shown before anything is stored. Pool texts are to be labeled; evaluation texts come with labels and measure accuracy.",
    dropHere:
      "Drop a table (CSV, TSV), JSON Lines, JSON, a Parquet file, a zip or tar, or a folder of text files here",
    splitHints: { evaluation: "Texts that come with labels, on which accuracy is measured." },
    labelColumnsHint: "Of a table or a Parquet file; several with commas. They become annotations.",
    left: {
      takes:
        "Texts are read from tables (CSV, TSV), JSON Lines, JSON, Parquet and text files (.txt, .md).",
    },
    sources: { labels: "Table", images: "Single files", image: "Text file" },
    medium: { titles: { image: "Images" } },
    plan: { notSeen: "Copies are found while importing." },
    kindHints: { purity: "How likely a text belongs to one of the classes." },
    mode: {
      single: { hint: "One text at a time, one key for each." },
      grid: {
        hint: "Cards with how each text begins, grouped by what the model takes them for. Faster where it is often right, and easier to nod through where it is wrong.",
      },
    },
  },
};
