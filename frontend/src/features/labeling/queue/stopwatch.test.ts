import { expect, it } from "vitest";
import { Stopwatch } from "./stopwatch";

function watch() {
  let now = 0;
  const stopwatch = new Stopwatch(() => now);
  const pass = (seconds: number) => {
    now += seconds * 1000;
  };
  return { stopwatch, pass };
}

it("counts from the moment the image is shown", () => {
  const { stopwatch, pass } = watch();
  pass(5);
  stopwatch.start();
  pass(2);
  expect(stopwatch.seconds()).toBe(2);
  pass(1);
  expect(stopwatch.seconds()).toBe(3);
});

it("does not count while the page is hidden", () => {
  const { stopwatch, pass } = watch();
  stopwatch.start();
  pass(2);
  stopwatch.setVisible(false);
  pass(100);
  stopwatch.setVisible(true);
  pass(3);
  expect(stopwatch.seconds()).toBe(5);
});

it("stops after 30 seconds without a sign of life, and goes on with the next", () => {
  const { stopwatch, pass } = watch();
  stopwatch.start();
  pass(20);
  stopwatch.touch();
  pass(500);
  expect(stopwatch.attentive).toBe(false);
  stopwatch.touch();
  pass(4);
  expect(stopwatch.seconds()).toBe(54);
});

it("starts anew with every image", () => {
  const { stopwatch, pass } = watch();
  stopwatch.start();
  pass(10);
  stopwatch.start();
  pass(1);
  expect(stopwatch.seconds()).toBe(1);
});
