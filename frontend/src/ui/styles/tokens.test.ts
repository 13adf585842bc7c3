import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

// Vitest leaves style sheets empty.
const css = readFileSync("src/ui/styles/tokens.css", "utf8");

type Lab = [lightness: number, a: number, b: number];

/** The colours of a token in light and dark. */
function coloursOf(name: string): Lab[] {
  const found = new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(css);
  return (found ?? []).slice(1).map(labOf);
}

/** CIELAB (D65) of sRGB. */
function labOf(hex: string): Lab {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const bent = (part: number) => (part > 0.008856 ? Math.cbrt(part) : 7.787 * part + 16 / 116);
  const x = bent((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
  const y = bent(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = bent((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

it("tells images in which nothing is from what they are drawn beside, in light and dark", () => {
  const nothing = coloursOf("nothing");
  expect(nothing).toHaveLength(2);
  for (const other of ["gold", "unsure", "queued", "ood", "surface"])
    coloursOf(other).forEach((colour, scheme) => {
      const away = colour.map((part, axis) => part - (nothing[scheme]?.[axis] ?? 0));
      // CIE76: 2 can just be told apart side by side, and swatches are small and apart.
      expect(Math.hypot(...away), `${other} ${scheme}`).toBeGreaterThan(20);
    });
});
