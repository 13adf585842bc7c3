import type { Rewording } from "../medium";

/** What is said of images, said of texts; both words end in a vowel, and take the same particles. */
export const rewording: Rewording = { pattern: /이미지|사진|그림/gu, say: () => "텍스트" };
