import { t } from "../../strings";
import type { OwnManagerWords } from "../spec";

export const managerWords: OwnManagerWords = {
  setup: () => t.boxes.setup,
  check: ({ hints, goOn }) => ({ text: hints.boxes, goOn: goOn.boxes }),
  allExports: () => t.boxes.allExports,
  formats: () => t.exports.boxes,
};
