import { t } from "../../strings";
import type { OwnManagerWords } from "../spec";

export const managerWords: OwnManagerWords = {
  setup: () => {
    const { basics, basicsHint, guidelinesHint, rows, rowsHint } = t.setup.ranking;
    return { basics, basicsHint, guidelinesHint, images: rows, imagesHint: rowsHint };
  },
  check: ({ hints, goOn }) => ({ text: hints.instructions, goOn: goOn.instructions }),
  allExports: () => t.overview.ranking.aboutExports,
  formats: () => t.exports.ofRows,
};
