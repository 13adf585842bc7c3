import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it } from "vitest";
import { meQuery } from "../../api/auth";
import type { Me } from "../../api/types";
import { WeightsNotice } from "./WeightsNotice";

afterEach(cleanup);

function shown(role: string, said: string) {
  const client = new QueryClient();
  client.setQueryData(meQuery.queryKey, { role } as Me);
  const model = { name: "torchvision", params: { architecture: "resnet18" } };
  render(
    <QueryClientProvider client={client}>
      <MemoryRouter>
        <WeightsNotice model={model} said={said} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  expect(document.body.textContent).toContain(said);
  return screen.queryByRole("link", { name: "Admin, Weights" })?.getAttribute("href");
}

it("leads admins, and nobody else, to where a file for this very network is added", () => {
  const helped = "They cannot be had. Have an admin upload the file (Admin, Weights).";
  const path = "/admin/weights?library=torchvision&architecture=resnet18";
  expect(shown("admin", helped)).toBe(path);
  cleanup();
  expect(shown("engineer", helped)).toBeUndefined();
  cleanup();
  expect(shown("admin", "torchvision has no classification network of that name.")).toBeUndefined();
});
