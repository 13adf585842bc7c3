import { expect, it } from "vitest";
import { chanceOf100, formatAbout, formatChance, formatMemory, formatSeconds } from "./format";

it("says a guess as roughly as it is known", () => {
  expect(formatAbout(3)).toBe("less than a minute");
  expect(formatAbout(61)).toBe("about a minute");
  expect(formatAbout(239)).toBe("about 4 minutes");
  expect(formatAbout(5400)).toBe("about 1.5 hours");
  expect(formatAbout(60 * 3600)).toBe("about 2.5 days");
});

it("tells times apart that are short", () => {
  expect([0, 0.0002, 0.016, 0.0996, 0.1, 0.44, 9.96, 12.4, 125, 4200].map(formatSeconds)).toEqual([
    "0 s",
    "1 ms",
    "16 ms",
    "100 ms",
    "0.1 s",
    "0.4 s",
    "10.0 s",
    "12 s",
    "2 min 5 s",
    "1 h 10 min",
  ]);
});

it("calls nothing certain that is only likely", () => {
  expect([0.9998, 0.99, 0.5, 0.01, 0.002].map((chance) => formatChance(chance))).toEqual([
    "over 99\u00a0%",
    "99\u00a0%",
    "50\u00a0%",
    "1\u00a0%",
    "under 1\u00a0%",
  ]);
});

it("does so with a digit more where numbers are compared", () => {
  expect([0.9998, 0.997, 0.5, 0.0004, null].map((chance) => formatChance(chance, 1))).toEqual([
    "over 99.9\u00a0%",
    "99.7\u00a0%",
    "50.0\u00a0%",
    "under 0.1\u00a0%",
    "–",
  ]);
  expect([1, 0.997, 0.5, 0.004, 0].map(chanceOf100)).toEqual([99, 99, 50, 1, 1]);
});

it("gives memory in the units that memory is sold in", () => {
  expect(formatMemory(640 * 2 ** 20)).toBe("640 MiB");
  expect(formatMemory(1.25 * 2 ** 30)).toBe("1.3 GiB");
});
