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
};
