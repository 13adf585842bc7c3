import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ApiError } from "../api/errors";

const PROBLEM = {
  code: "malformed",
  detail: "url: must have at least 1 character",
  errors: [
    {
      field: "url",
      message: "must have at least 1 character",
      type: "string_too_short",
      ctx: { min_length: 1 },
    },
  ],
};

beforeEach(() => vi.resetModules());
afterEach(() => {
  cleanup();
  localStorage.clear();
});

async function shown(language: string): Promise<string | null> {
  localStorage.setItem("karat.language", language);
  const { loadCatalogue } = await import("../strings");
  await loadCatalogue();
  const { Said } = await import("./Said");
  const { ApiError: Fresh } = await import("../api/errors");
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Said>{new Fresh(422, PROBLEM)}</Said>
    </QueryClientProvider>,
  );
  return document.body.textContent;
}

it("says what is wrong with a field in people's language", async () => {
  expect(new ApiError(422, PROBLEM).message).toBe(PROBLEM.detail);
  expect(await shown("en")).toBe(PROBLEM.detail);
  cleanup();
  vi.resetModules();
  expect(await shown("ko")).toBe("url: 1자 이상이어야 합니다");
});
