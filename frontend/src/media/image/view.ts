import type { MediumView } from "../spec";
import { ImageAhead } from "./ImageAhead";
import { ImageStage } from "./ImageStage";
import { ImageThumbnail, ImageWhole, TILE, urlOf } from "./pictures";
import { onScreen } from "./urls";

export const imageView: MediumView = {
  Stage: ImageStage,
  Thumbnail: ImageThumbnail,
  Whole: ImageWhole,
  openAhead: (of) =>
    new ImageAhead(
      of === "stage" ? onScreen : (example) => urlOf({ ...example, id: example.example_id }, TILE),
    ),
};
