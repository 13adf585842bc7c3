import { expect, it } from "vitest";
import words from "../strings/ko/catalog.json";
import { askAgainFor, named, parametersOf, plain, translated, untilWorded } from "./algorithms";
import { serving } from "./serving";
import type { Algorithm } from "./types";

const margin: Algorithm = {
  name: "margin",
  kind: "strategy",
  title: "Smallest margin",
  summary: "Ignores purity; strong when the pool is clean.",
  paper: "D. Roth, K. Small, ECML 2006",
  needs: ["informativeness"],
  fallback: "",
  media: ["image", "text"],
  tasks: ["classification"],
  group: "informativeness",
  of_texts: null,
  defaults: { epochs: 100, seed: 0 },
  params_schema: {
    type: "object",
    properties: {
      epochs: { type: "integer", title: "Epochs", description: "Passes over the last answers." },
      seed: { type: "integer", title: "Something new", description: "Something new." },
    },
  },
};

it("says in Korean what it has Korean for, and leaves the rest", () => {
  const said = translated(margin, words);
  expect(said.title).toBe("최소 마진");
  expect(said.summary).toMatch(/[가-힣]/);
  expect(said.paper).toBe(margin.paper);
  expect(parametersOf(said).epochs).toEqual({
    type: "integer",
    title: "에포크",
    description: "최근 답변을 반복해서 학습하는 횟수입니다.",
  });
  expect(parametersOf(said).seed).toEqual(parametersOf(margin).seed);
  expect(said.defaults).toEqual(margin.defaults);
});

it("keeps what an algorithm is called in English, for those who look for it by that", () => {
  expect(translated(margin, words).english).toEqual({
    title: margin.title,
    summary: margin.summary,
  });
});

it("describes parameters by titles, and leaves what is no name", () => {
  const network = {
    enum: ["cnn_tiny"],
    title: "Network",
    description: "cnn_tiny on a CPU, as in my_file.csv; some_other stays. Of net_width, too.",
  };
  const width = { title: "Width", description: "Channels of cnn_tiny." };
  const job = { ...margin, params_schema: { properties: { network, net_width: width } } };
  const model: Algorithm = { ...margin, kind: "model", name: "cnn_tiny", title: "Tiny CNN" };
  const said = parametersOf(plain(named(job, [job, model]), [job, model]));
  expect(said.network?.description).toBe(
    "“Tiny CNN” on a CPU, as in my_file.csv; some_other stays. Of “Width”, too.",
  );
  expect(said.net_width?.description).toBe("Channels of “Tiny CNN”.");
});

it("offers choices in words beside the names that descriptions use", () => {
  const precision = { enum: ["auto", "float32"], title: "Precision", description: "" };
  const network = { enum: ["cnn_tiny", "resnet18"], title: "Network", description: "" };
  const job = { ...margin, params_schema: { properties: { precision, network } } };
  const model: Algorithm = { ...margin, kind: "model", name: "cnn_tiny", title: "Tiny CNN" };
  expect(parametersOf(translated(job, words)).precision?.words).toEqual({ auto: "자동 (auto)" });
  expect(parametersOf(named(job, [job, model])).network?.words).toEqual({
    cnn_tiny: "Tiny CNN",
  });
});

it("asks again for words that did not arrive, and for nothing else", () => {
  expect(untilWorded({ isWorded: false })).toBe(0);
  expect(untilWorded({ isWorded: true })).toBe(Number.POSITIVE_INFINITY);
  expect(untilWorded(null)).toBe(Number.POSITIVE_INFINITY);
  expect(askAgainFor({ isWorded: false })).toBeGreaterThan(0);
  expect(askAgainFor({ isWorded: true })).toBe(false);
  expect(askAgainFor(undefined)).toBe(false);
});

it("leaves an algorithm of another package whole, also where it has words of ours", () => {
  const foreign = { ...margin, name: "theirs", summary: "Asks what others would not." };
  expect(translated(foreign, words)).toBe(foreign);
});

it("offers for texts what says something there", () => {
  const prune: Algorithm = {
    ...margin,
    kind: "job",
    name: "prune",
    summary: "Finds images.",
    defaults: { network: "cnn_tiny", flip: true, ratio: 0.5 },
    of_texts: {
      summary: "",
      descriptions: { network: "minilm for English." },
      defaults: { network: "minilm", ratio: 0.5 },
    },
    params_schema: {
      properties: {
        network: { enum: ["cnn_tiny", "minilm"], description: "cnn_tiny for images." },
        flip: { type: "boolean", description: "Mirrored." },
        ratio: { type: "number", description: "Share." },
      },
    },
  };
  const minilm: Algorithm = { ...margin, kind: "model", name: "minilm", media: ["text"] };
  const [found] = serving([prune, minilm], { medium: "text" });
  expect(found?.defaults).toEqual({ network: "minilm", ratio: 0.5 });
  expect(found && parametersOf(found)).toEqual({
    network: { enum: ["minilm"], description: "minilm for English." },
    ratio: { type: "number", description: "Share." },
  });
  expect(serving([prune, minilm], { medium: "image" })).toEqual([prune]);
});
