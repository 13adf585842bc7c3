import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { compress } from "./compress.ts";
import { markdown } from "./markdown.ts";
import { preload } from "./preload.ts";

const server = process.env.KARAT_URL ?? "http://127.0.0.1:8765";

export default defineConfig({
  plugins: [react(), markdown(), preload("src/app.tsx"), compress()],
  server: {
    proxy: { "/api": { target: server, changeOrigin: false } },
    fs: { allow: [".", "../docs"] },
  },
  build: {
    target: "es2022",
    sourcemap: false,
    manifest: true,
    rolldownOptions: {
      // To compress at the best takes longer than to build; it is told no news.
      checks: { pluginTimings: false },
      output: {
        codeSplitting: {
          groups: [
            // Apart from what keeps strings as it is loaded, which has to wait for the reader's language.
            { name: "strings", test: /src\/strings\/(?!ko\/)/, priority: 1 },
            // What many pages use comes in one file: a dozen small ones cost a slow line more than their bytes.
            {
              name: "shared",
              test: /src\/(ui|api)\/|src\/tasks\/(\w+\/)?(traits|stateNames)\./,
              minShareCount: 4,
            },
          ],
        },
      },
    },
  },
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/test/setup.ts"],
    // To make a browser for each file took most of the time; the set-up leaves the next nothing of it.
    isolate: false,
    // By itself it leaves one core alone: half of them, where there are two.
    maxWorkers: "100%",
    restoreMocks: true,
    // What waits for a clock waits longer where three other things run.
    testTimeout: 30_000,
  },
});
