import type { MediumView } from "../spec";
import { TextAhead } from "./TextAhead";
import { TextStage } from "./TextStage";
import { TextThumbnail } from "./TextThumbnail";
import { TextWhole } from "./TextWhole";

export const textView: MediumView = {
  Stage: TextStage,
  Thumbnail: TextThumbnail,
  Whole: TextWhole,
  // Small ones show how a text begins, which every page is told.
  openAhead: () => new TextAhead(),
};
