import { describe, expect, it } from "vitest";
import { lifetimes } from "./lifetimes";

describe("lifetimes of a token", () => {
  it("are the usual ones where any is allowed", () => {
    expect(lifetimes(90, null)).toEqual([30, 90, 365]);
    expect(lifetimes(7, null)).toEqual([7, 30, 90, 365]);
  });

  it("are never longer than the installation allows", () => {
    expect(lifetimes(60, 60)).toEqual([30, 60]);
    expect(lifetimes(14, 14)).toEqual([14]);
    expect(lifetimes(90, 1000)).toEqual([30, 90, 365, 1000]);
  });
});
