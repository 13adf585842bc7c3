import { expect, it } from "vitest";
import type { Estimate, Foreseen } from "../../api/estimates";
import { foreseen, foreseenIn } from "./foreseen";

const found: Foreseen = {
  ...{ answers: 310, answers_low: 120, answers_high: 520, auto: 1200, in_vain: 0, left: [] },
};
const nameOf = (id: number) => `c${id}`;

it("says how many checks it takes, within which range, and what they bring", () => {
  expect(foreseen(found, nameOf)).toEqual([
    "It takes about 310 checks (120 to 520), and then about 1,200 images would be labeled.",
    "Checks come before all else that people are asked about, and what they cost is added to the budget of the round.",
    "The model may be right less often, or more often, than it is sure.",
  ]);
  const exact = { ...found, answers: 97, answers_low: 97, answers_high: 97 };
  expect(foreseen(exact)[0]).toMatch(/^It takes about 97 checks, and then/);
});

it("names what is most likely left to people, of many the first few", () => {
  const left = { ...found, left: [3, null] };
  expect(foreseen(left, nameOf)[1]).toBe(
    "Most likely left to people: c3, what is of none of the classes.",
  );
  expect(foreseen(left)).toHaveLength(3);
  const many = { ...found, left: [1, 2, 3, 4, 5, 6, 7, 8] };
  expect(foreseen(many, nameOf)[1]).toBe(
    "Most likely left to people: c1, c2, c3, c4, c5, c6 and 2 more.",
  );
});

it("says how likely it is that nothing comes of it", () => {
  expect(foreseen({ ...found, in_vain: 0.2 })[1]).toBe(
    "In about 20 of 100 cases nothing comes of it.",
  );
  const [only, ...rest] = foreseen({ ...found, in_vain: 0.6, auto: 40 }, nameOf);
  expect(only).toMatch(
    /^In about 60 of 100 cases nothing .* after about 310 checks \(120 to 520\): /,
  );
  expect(rest).toEqual([]);
  expect(foreseen({ ...found, answers: 0, auto: 0, in_vain: 1 })[0]).toMatch(/^Nothing could be/);
});

it("says what can be promised in place of what cannot", () => {
  const less = { ...found, target: 0.1, in_vain: 0.2 };
  const said = "With at most 10 of 100 wrong it would take about 310 checks (120 to 520), and";
  for (const answers of [0, 400]) {
    const [, ...rest] = foreseen({ ...found, answers, in_vain: 1, less }, nameOf);
    expect(rest).toEqual([`${said} label about 1,200 images.`]);
  }
});

it("says nothing of estimates of other jobs", () => {
  const other: Estimate = {
    ...{ seconds: 1, memory_bytes: 1, device: "cpu", labeled: 1, phases: {}, notes: [] },
  };
  expect(foreseenIn(other)).toBeNull();
  expect(foreseenIn(undefined)).toBeNull();
  expect(foreseenIn({ ...other, ...found })).toMatchObject(found);
});
