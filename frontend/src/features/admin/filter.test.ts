import { expect, it } from "vitest";
import { filterOf, searchOf, shownIn } from "./filter";

it("reads filters from the address and writes them back without empty ones", () => {
  const search = new URLSearchParams("person=3&from=2026-11-20&to=2026-11-20");
  const shown = shownIn(search);
  expect(searchOf(shown).toString()).toBe(search.toString());
  expect(filterOf(shown)).toEqual({
    actor_id: 3,
    verb: null,
    object_type: null,
    project_id: null,
    since: new Date(2026, 10, 20).toISOString(),
    until: new Date(2026, 10, 21).toISOString(),
  });
});

it("asks for nothing in particular when the address makes no sense", () => {
  const filter = filterOf(shownIn(new URLSearchParams("person=x&project=-1&from=yesterday")));
  expect(Object.values(filter).every((value) => value === null)).toBe(true);
});
