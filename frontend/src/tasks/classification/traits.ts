import type { OwnTraits } from "../spec";

export const traits: OwnTraits = {
  namesOneClass: true,
  takeAway: (medium) =>
    medium === "text" ? ["csv", "jsonl", "doccano"] : ["csv", "jsonl", "imagefolder"],
};
