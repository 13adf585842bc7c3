import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { markdown } from "./markdown";

const server = process.env.KARAT_URL ?? "http://127.0.0.1:8765";

export default defineConfig({
  plugins: [react(), markdown()],
  server: {
    proxy: { "/api": { target: server, changeOrigin: false } },
    fs: { allow: [".", "../docs"] },
  },
  build: { target: "es2022", sourcemap: false },
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/test/setup.ts"],
    restoreMocks: true,
  },
});
