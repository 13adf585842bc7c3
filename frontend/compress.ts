import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";

// Each at its best: it happens once, and every visitor gains from it.
const CODINGS = [
  { ending: ".br", encode: promisify(brotliCompress), options: {} },
  { ending: ".gz", encode: promisify(gzip), options: { level: constants.Z_BEST_COMPRESSION } },
];
// Fonts are compressed as they are, and what fits into one packet gains nothing.
const PAYS = /\.(js|css|json|svg)$/;
const LEAST_BYTES = 1024;

/** Writes what is under assets/ compressed as well, beside it, as the server sends it. */
export const compress = (): Plugin => ({
  name: "compress",
  apply: "build",
  async writeBundle({ dir }, bundle) {
    if (!dir) throw new Error("the build has no folder");
    const assets = Object.keys(bundle).filter(
      (file) => file.startsWith("assets/") && PAYS.test(file),
    );
    const pack = async (file: string) => {
      const content = await readFile(join(dir, file));
      if (content.length < LEAST_BYTES) return;
      for (const { ending, encode, options } of CODINGS) {
        await writeFile(join(dir, file + ending), await encode(content, options));
      }
    };
    await Promise.all(assets.map(pack));
  },
});
