import { expect, it } from "vitest";
import { formatAbout, formatMemory } from "./format";

it("says a guess as roughly as it is known", () => {
  expect(formatAbout(3)).toBe("less than a minute");
  expect(formatAbout(61)).toBe("about a minute");
  expect(formatAbout(239)).toBe("about 4 minutes");
  expect(formatAbout(5400)).toBe("about 1.5 hours");
  expect(formatAbout(60 * 3600)).toBe("about 2.5 days");
});

it("gives memory in the units that memory is sold in", () => {
  expect(formatMemory(640 * 2 ** 20)).toBe("640 MiB");
  expect(formatMemory(1.25 * 2 ** 30)).toBe("1.3 GiB");
});
