import type { Medium } from "../strings/medium";
import { imageView } from "./image/view";
import type { MediumView } from "./spec";
import { textView } from "./text/view";

export const mediaViews: Record<Medium, MediumView> = { image: imageView, text: textView };
