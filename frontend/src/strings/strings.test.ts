import { describe, expect, it } from "vitest";
import { en } from "./en";
import { ko } from "./ko";
import { particle } from "./ko/words";
import { preferredLanguage } from "./language";

type Leaf = { path: string; value: unknown };

function leaves(value: unknown, path = ""): Leaf[] {
  if (typeof value !== "object" || value === null) return [{ path, value }];
  return Object.entries(value).flatMap(([key, inner]) =>
    leaves(inner, path ? `${path}.${key}` : key),
  );
}

/** Names and abbreviations that are the same in both languages. */
const SHARED =
  /^(Karat|MQ-Net|SHA-256|\{.*\}|[A-Z][A-Z/]+|[A-Z]\w+ \/ .*|AUROC|mAP\d*|Jaccard|OAT|TAUFE|Tau|Parquet|doccano|α)$/;

describe("the Korean catalogue", () => {
  const english = leaves(en);
  const korean = new Map(leaves(ko).map(({ path, value }) => [path, value]));

  it("has every string of the English one, also where the type leaves names open", () => {
    expect([...korean.keys()].sort()).toEqual(english.map(({ path }) => path).sort());
  });

  it.each(english)("$path is written in Korean", ({ path, value }) => {
    const other = korean.get(path);
    if (typeof value === "function" || typeof other === "function") {
      expect(typeof other).toBe(typeof value);
      return;
    }
    if (SHARED.test(String(other))) return;
    expect(other).toMatch(/[가-힣]/);
  });
});

/** Where it is what methods and files call images, or belongs to another type of task. */
const ELSEWHERE = /^(boxes|jobs|selection)\.|\.guide\.ood$|\.rankings\./;
/** What people say of images, and read of what was said. */
const SAID = /^(grid|guarantee|home|label|overview|pool|projects|review|rounds|snapshots|states)\./;
const OTHERS =
  /\bNone of (them|your classes)\b|^of no class$|\b(Likely|not) OOD\b|\bOOD verdict|OOD 판정|클래스 (없음|아님)$/;

describe.each([
  ["English", en],
  ["Korean", ko],
])("none of the classes in %s", (_, catalogue) => {
  const all = leaves(catalogue);

  it("has one name, and a short one, wherever it is one of several things to be said", () => {
    const [full, short] = [catalogue.label.ood, catalogue.grid.ood];
    expect(catalogue.glossary.words.none.word).toBe(full);
    const named = all.filter(({ path, value }) => /\.ood$/.test(path) && typeof value === "string");
    const here = named.filter(({ path }) => !ELSEWHERE.test(path));
    expect(here.length).toBeGreaterThan(5);
    const names = [full, full.toLowerCase(), short];
    expect(here.filter(({ value }) => !names.includes(String(value)))).toEqual([]);
  });

  it("has no other name in any sentence", () => {
    const others = all.filter(({ value }) => OTHERS.test(String(value)));
    expect(others.map(({ path }) => path)).toEqual([]);
    const terms = all.filter(
      ({ path, value }) =>
        SAID.test(path) &&
        path !== "pool.values.split.auxiliary_ood" &&
        /\bOOD\b/.test(String(value)),
    );
    expect(terms.map(({ path }) => path)).toEqual([]);
  });
});

it("puts the particle that the last sound asks for", () => {
  expect(particle("라벨", "을", "를")).toBe("라벨을");
  expect(particle("라운드", "을", "를")).toBe("라운드를");
  expect(particle("라운드 3", "을", "를")).toBe("라운드 3을");
  expect(particle("라운드 2", "을", "를")).toBe("라운드 2를");
  expect(particle("pool.zip", "을", "를")).toBe("pool.zip을(를)");
  const towards = ["16", "10", "224", "21", "37", "128", "3회", "2개월", "pool.zip"];
  expect(towards.map((word) => particle(word, "으로", "로"))).toEqual([
    ...["16으로", "10으로", "224로", "21로", "37로", "128로", "3회로", "2개월로", "pool.zip(으)로"],
  ]);
});

/** What ends in a counter (개, 회) or in a percent (퍼센트), and so always has the same sound. */
const COUNTED = /^(images|count)\(|^(share|rate|wrong|right|next|memory|checks)$/;

it.each(
  Object.entries(
    import.meta.glob<string>("./ko/*.ts", { query: "?raw", import: "default", eager: true }),
  ),
)("%s leaves no particle to the sound of what varies", (_, source) => {
  const found = source.matchAll(/\$\{([^{}]+)\}(?:이|가|은|는|을|를|과|와|로)(?![가-힣(])/g);
  const left = [...found].filter(([, varying = ""]) => !COUNTED.test(varying));
  expect(left.map(([whole]) => whole)).toEqual([]);
});

it("chooses the first of the reader's languages that it has", () => {
  expect(preferredLanguage(["de-DE", "ko-KR", "en"])).toBe("ko");
  expect(preferredLanguage(["en-GB", "ko"])).toBe("en");
  expect(preferredLanguage(["fr"])).toBe("en");
});
