import { afterEach, describe, expect, it } from "vitest";
import { t, words } from ".";
import { ko, texts as koreanTexts } from "./ko";
import { inMedium, ofTexts, speakOf } from "./medium";

const IMAGES = /\b(images?|pictures?|photographs?|photos?|pixels?)\b|이미지|사진|그림|픽셀/i;
/** Of formats for images, the jobs on their pixels, the admins' pages, and the choice of the medium. */
const ELSEWHERE =
  /^(admin|check|weights|setup\.(medium|bucket|inputSize|plan\.(choosesSize|fixesSize))|exports\.(boxes|formats\.(imagefolder|yolo|coco|voc|cvat)))\b/;

type Leaf = { path: string; value: unknown };

function leaves(value: unknown, path = ""): Leaf[] {
  if (typeof value !== "object" || value === null) return [{ path, value }];
  return Object.entries(value).flatMap(([key, inner]) =>
    leaves(inner, path ? `${path}.${key}` : key),
  );
}

afterEach(() => speakOf("image"));

describe.each([
  ["English", words.text],
  ["Korean", koreanTexts],
] as const)("what is said of texts in %s", (_, catalogue) => {
  const said = leaves(catalogue).filter(({ path }) => !ELSEWHERE.test(path));
  it.each(said.filter(({ value }) => typeof value === "string"))("$path", ({ value }) => {
    expect(value).not.toMatch(IMAGES);
  });
});

it.each([
  ["English", words.image, words.text],
  ["Korean", ko, koreanTexts],
] as const)("leaves nothing unsaid of texts in %s", (_, images, texts) => {
  const blank = (catalogue: object) =>
    leaves(catalogue).flatMap(({ path, value }) => (value === "" ? [path] : []));
  expect(blank(texts)).toEqual(blank(images));
});

it("has every string that there is of images", () => {
  const paths = (catalogue: object) => leaves(catalogue).map(({ path }) => path);
  expect(paths(koreanTexts)).toEqual(paths(ko));
});

it("speaks of what the page is about, whenever it is asked", () => {
  const { detail } = t.pool;
  expect(detail.next).toBe("Next image");
  expect(t.grid.images(2)).toBe("2 images");
  speakOf("text");
  expect(detail.next).toBe("Next text");
  expect(t.grid.images(2)).toBe("2 texts");
  expect(t.label.imageNumber(7)).toBe("Text 7");
  expect(koreanTexts.grid.images(2)).toBe("텍스트 2개");
});

it("tells texts nothing of what only images have", () => {
  expect(words.text.overview.firstSteps.steps.images.text).toMatch(
    /^A table, a folder or an archive/,
  );
  for (const { overview, pool } of [words.text, koreanTexts]) {
    expect(overview.allExports).toContain("doccano");
    expect(overview.allExports).not.toContain("COCO");
    expect(pool.keysUnlit).not.toMatch(/\bW\b|W로/);
  }
});

it("keeps names as people gave them", () => {
  const catalogue = {
    given: (count: number, name: string) => `${count} images: ${name}`,
    an: "An image, then an image",
  };
  const rewording = {
    pattern: /\b(?:an )?images?\b/giu,
    say: (found: string) => found.replace(/an /i, "a ").replace(/image/i, "text"),
  };
  speakOf("text");
  const { given, an } = inMedium(catalogue, ofTexts(catalogue, rewording, {}));
  expect(given(2, "image of a cat")).toBe("2 texts: image of a cat");
  expect(given(1, "dog")).toBe("1 texts: dog");
  expect(an).toBe("a text, then a text");
});
