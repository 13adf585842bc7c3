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

it("leads to where a file is added for what the server says, whatever the model is", () => {
  const lost =
    "The file of the weights 'words' of open_clip ViT-B-32 is missing or damaged: a. Have an admin upload b once more (Admin, Weights), which puts it back, or choose other weights.";
  expect(shown("admin", lost)).toBe("/admin/weights?library=open_clip&architecture=ViT-B-32");
  cleanup();
  const none =
    "settings.purity.params.uploaded: 'x': there are no such weights. Of open_clip there are none; leave it empty for those of the hub, or have an admin upload the file (Admin, Weights).";
  expect(shown("admin", none)).toBe("/admin/weights?library=open_clip");
  cleanup();
  const other =
    "settings.model.params.weights: there are no weights 'x'. For timm resnet50 there are none; leave it empty for the published ones, or have an admin upload the file (Admin, Weights).";
  expect(shown("admin", other)).toBe("/admin/weights?library=timm&architecture=resnet50");
});

it("leads admins, and nobody else, to where a file for this very network is added", () => {
  const helped = "They cannot be had. Have an admin upload the file (Admin, Weights).";
  const path = "/admin/weights?library=torchvision&architecture=resnet18";
  expect(shown("admin", helped)).toBe(path);
  cleanup();
  expect(shown("engineer", helped)).toBeUndefined();
  cleanup();
  expect(shown("admin", "torchvision has no classification network of that name.")).toBeUndefined();
});
