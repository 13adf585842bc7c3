import { afterEach, expect, it, vi } from "vitest";
import type { Content } from "../spec";
import { ImageAhead } from "./ImageAhead";

const picture = (id: number): Content => ({
  example_id: id,
  image_url: `/images/${id}`,
  width: 16,
  height: 16,
  name: `${id}.png`,
});

/** A browser that has an image once it is said so, and none of what the network lacks. */
function browser() {
  const asked: string[] = [];
  const missing = new Set<string>();
  vi.stubGlobal(
    "Image",
    class {
      src = "";
      decode() {
        asked.push(this.src);
        return missing.has(this.src) ? Promise.reject(new Error("broken")) : Promise.resolve();
      }
    },
  );
  const ahead = new ImageAhead(({ image_url }) => image_url);
  const settled = async (id: number) => {
    await vi.waitFor(() => expect(ahead.get(picture(id))?.state).not.toBe("loading"));
    return ahead.get(picture(id))?.state;
  };
  return { ahead, asked, missing, settled };
}

afterEach(() => vi.unstubAllGlobals());

it("asks once more at its turn for what failed while it was ahead", async () => {
  const { ahead, asked, missing, settled } = browser();
  missing.add("/images/2");
  ahead.keep([1, 2, 3].map(picture));
  expect(await settled(2)).toBe("failed");
  ahead.keep([1, 2, 3].map(picture));
  expect(asked).toHaveLength(3);
  missing.clear();
  ahead.keep([2, 3].map(picture));
  expect(await settled(2)).toBe("ready");
});

it("does not go on asking for what fails at its turn as well", async () => {
  const { ahead, asked, missing, settled } = browser();
  missing.add("/images/1");
  ahead.keep([1, 2].map(picture));
  expect(await settled(1)).toBe("failed");
  ahead.keep([1, 2].map(picture));
  expect(asked).toHaveLength(2);
  missing.clear();
  ahead.retry(picture(1));
  expect(await settled(1)).toBe("ready");
});
