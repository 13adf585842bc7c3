import { plural } from "./words";

export const bucket = {
  open: "From a bucket",
  title: "Images that stay where they are",
  text: "Karat reads each image once and keeps no copy. Folders mean what they mean in a zip, and so does a metadata.csv.",
  location: "Location",
  locationHint: (places: string[]) => `In or below ${places.join(", ")}.`,
  include: "Only paths like",
  includeHint:
    "Several with commas; * stands for anything. Empty: all that is called like an image.",
  table: "Or a table of them",
  tableHint:
    "Path of a CSV, JSONL or Parquet file below the location. Its columns: key for the path, and if you like split, label and more.",
  includeExample: "*/2024/*.jpg",
  tableExample: "images.csv",
  start: "Import",
  sync: {
    often: "And then",
    oftenHint:
      "Of a place that is followed, what is new is imported by itself. What changes or vanishes there is said; labels and images stay.",
    once: "Import once",
    start: "Follow",
    every: {
      60: "Follow it, every hour",
      1440: "Follow it, every day",
      10080: "Follow it, every week",
    },
    title: "Followed places",
    schedule: "How often",
    scheduleOf: (place: string) => `How often to look at ${place}`,
    choices: {
      0: "Only when asked",
      60: "Every hour",
      1440: "Every day",
      10080: "Every week",
    },
    minutes: (count: number) => `Every ${plural(count, "minute", "minutes")}`,
    looking: "Looking",
    waits: "Not looked at yet",
    fresh: "Up to date",
    differs: "Differs from the pool",
    failed: "Not reached",
    importing: "Importing",
    ended: "Import not finished",
    endedText:
      "The last import failed or was cancelled. Retry it above, or look now to begin it anew.",
    there: (count: number) => `${plural(count, "image", "images")} there`,
    fresher: (count: number) => `${count.toLocaleString()} new`,
    looked: (time: string) => `looked at ${time}`,
    run: "Look now",
    runThis: (place: string) => `Look now: ${place}`,
    remove: "Stop following",
    removeThis: (place: string) => `Stop following: ${place}`,
    removeTitle: "Stop following this place?",
    removeText: "Nothing more is imported from it by itself. All that was imported stays.",
    changed: {
      title: (count: number) => `${plural(count, "image has", "images have")} changed there`,
      text: "They keep their labels and are not shown until the old content is back. To take the new content in beside them, import the place once more.",
    },
    gone: {
      title: (count: number) => `${plural(count, "image is", "images are")} gone from there`,
      text: "They keep their labels, and count as before; only the original cannot be shown. Put them back, or import the place that they were moved to.",
    },
    more: (count: number) => `and ${count.toLocaleString()} more`,
    faults: {
      location_denied: "The bucket refuses access. The operator sets the credentials.",
      location_unavailable: "The bucket cannot be reached. It is tried again by itself.",
      location_not_allowed: "The operator no longer allows this place.",
      locations_off: "The operator no longer allows this place.",
      not_found: "There is no such place any more.",
    } as Record<string, string>,
  },
};
