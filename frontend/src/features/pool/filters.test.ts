import { describe, expect, it } from "vitest";
import {
  comparedWith,
  countFilters,
  exportsOf,
  likeThese,
  passedOver,
  readView,
  withFilters,
  withoutFilters,
} from "./filters";

const read = (text: string) => readView(new URLSearchParams(text));

describe("the address of the pool browser", () => {
  it("shows the pool in order of import when it says nothing", () => {
    expect(read("")).toEqual({
      filters: { split: "pool" },
      sort: "pool_index",
      image: null,
      map: false,
      colour: "state",
      words: "",
      chosenBy: null,
    });
    expect(countFilters(read("").filters)).toBe(0);
  });

  it("keeps filters, order and the open image", () => {
    const view = read(
      "state=ood&class_id=3&purity_max=0.25&disagreement=true&sort=-purity&image=7",
    );
    expect(view.filters).toEqual({
      split: "pool",
      state: "ood",
      class_id: 3,
      purity_max: 0.25,
      disagreement: true,
    });
    expect(view).toMatchObject({ sort: "-purity", image: 7 });
    expect(countFilters(view.filters)).toBe(4);
  });

  it("reads the word that earlier addresses have for a label", () => {
    expect(read("verdict=class").filters).toEqual({ split: "pool", verdict: "label" });
  });

  it("asks for images in which nothing is, by what they are and by what was said", () => {
    expect(read("state=no_objects&verdict=objects").filters).toEqual({
      split: "pool",
      state: "no_objects",
      verdict: "objects",
    });
  });

  it("names the subsets that kept and dropped an image", () => {
    const view = read("dropped_by=12&kept_by=7");
    expect(view.filters).toEqual({ split: "pool", kept_by: 7, dropped_by: 12 });
    expect(countFilters(view.filters)).toBe(2);
    const query = withFilters(new URLSearchParams("dropped_by=12"), { dropped_by: null });
    expect(query.toString()).toBe("");
  });

  it("keeps the map, its colours and the outline, which is a filter like others", () => {
    const view = read("view=map&colour=purity&outline=abc:0,0;1,0;1,1");
    expect(view).toMatchObject({ map: true, colour: "purity" });
    expect(view.filters).toEqual({ split: "pool", outline: "abc:0,0;1,0;1,1" });
    expect(countFilters(view.filters)).toBe(1);
    const query = new URLSearchParams("view=map&colour=round&outline=abc:0,0;1,0;1,1&state=ood");
    expect(withoutFilters(query).toString()).toBe("view=map&colour=round");
    expect(read("view=globe&colour=taste")).toEqual(read(""));
  });

  it("asks for what came along, and passes over what is no condition alone", () => {
    const query = new URLSearchParams("fields=camera%3D3&fields=score%3C0.5&fields=%3D3");
    const { filters } = readView(query);
    expect(filters.fields).toEqual(["camera=3", "score<0.5"]);
    expect(countFilters(filters)).toBe(2);
    expect(passedOver(query)).toEqual([["fields", "=3"]]);
    const [path, only] = exportsOf(7, filters).split("?only=");
    expect(path).toBe("/projects/7/settings");
    expect(decodeURIComponent(only ?? "")).toBe(
      "fields=camera%3D3&fields=score%3C0.5&split=pool#exports",
    );
    const next = withFilters(query, { fields: ["camera=4"] });
    expect(next.toString()).toBe("fields=camera%3D4");
    expect(withFilters(next, { fields: null }).toString()).toBe("");
  });

  it("passes over what it does not know", () => {
    expect(read("state=lost&class_id=two&sort=beauty&image=-1")).toEqual(read(""));
  });

  it("names what it passes over", () => {
    const named = (query: string) => passedOver(new URLSearchParams(query)).map(([name]) => name);
    expect(named("state=lost&split=foo&verdict=label&class_id=two&similar_to=x")).toEqual([
      "state",
      "split",
      "class_id",
      "similar_to",
    ]);
    expect(named("state=ood&split=pool&verdict=class&purity_min=0&source=&image=7")).toEqual([]);
    expect(named("")).toEqual([]);
  });

  it("is written back as it is read, and closes the image", () => {
    const query = withFilters(new URLSearchParams("image=7&sort=purity"), {
      state: "ood",
      split: "all",
      purity_min: 0,
    });
    expect(query.get("image")).toBeNull();
    expect(readView(query)).toEqual({
      filters: { split: "all", state: "ood", purity_min: 0 },
      sort: "purity",
      image: null,
      map: false,
      colour: "state",
      words: "",
      chosenBy: null,
    });
    expect(
      readView(withFilters(query, { state: null, split: "pool", purity_min: null })).filters,
    ).toEqual({ split: "pool" });
  });
});

describe("what images are compared with", () => {
  it("orders by similarity unless the address says otherwise, and is no filter", () => {
    const view = read("similar_to=4,7&state=ood&similarity_min=0.5");
    expect(view.sort).toBe("-similarity");
    expect(view.filters).toMatchObject({ similar_to: "4,7", similarity_min: 0.5 });
    expect(comparedWith(view.filters)).toEqual([4, 7]);
    expect(countFilters(view.filters)).toBe(2);
    expect(read("similar_file=9&sort=-purity")).toMatchObject({ sort: "-purity" });
    expect(read("similar_file=9&sort=pool_index").sort).toBe("pool_index");
  });

  it("passes over what is no image, and what is similar to nothing", () => {
    for (const bad of ["0", "a", "1,", "1;2", ",".repeat(3), "1".repeat(19)]) {
      expect(read(`similar_to=${bad}`)).toEqual(read(""));
    }
    expect(read("similarity_min=0.5&sort=-similarity")).toEqual(read(""));
  });

  it("keeps filters, closes the image, and names no more than the server takes", () => {
    const before = new URLSearchParams("state=ood&image=3&sort=purity&similar_file=8");
    const like = likeThese(before, { ids: [5, 6] });
    expect(like.toString()).toBe("state=ood&similar_to=5%2C6");
    expect(likeThese(like, { file: 12 }).toString()).toBe("state=ood&similar_file=12");
    const found = likeThese(like, { file: 12, words: "a dog" });
    expect(readView(found).words).toBe("a dog");
    expect(likeThese(found, null).toString()).toBe("state=ood");
    expect(likeThese(like, null).toString()).toBe("state=ood");
    const many = likeThese(new URLSearchParams(), {
      ids: Array.from({ length: 300 }, (_, at) => at + 1),
    });
    expect(comparedWith(readView(many).filters)).toHaveLength(200);
  });
});
