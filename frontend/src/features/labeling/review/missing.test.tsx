import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import type { Project, User } from "../../../api/types";
import { SenderProvider } from "../SenderProvider";
import { ReviewScreen } from "./ReviewScreen";

const user = { id: 3 } as User;
const project = {
  id: 7,
  name: "Digits",
  task: "classification",
  medium: "image",
  classes: [],
} as unknown as Project;

function show(status: number) {
  vi.spyOn(globalThis, "fetch").mockImplementation(async () =>
    Response.json({ detail: "Said by the server." }, { status }),
  );
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <SenderProvider user={user}>
          <ReviewScreen
            user={user}
            project={project}
            jobId={999}
            manages
            back="/"
            missing={<p>Nothing here</p>}
          />
        </SenderProvider>
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it("shows no desk for a review that there is not", async () => {
  show(404);
  expect(await screen.findByText("Nothing here")).toBeDefined();
  expect(screen.queryAllByRole("button")).toEqual([]);
});

it("lets one try again after another failure", async () => {
  show(409);
  expect(await screen.findByRole("button", { name: "Try again" })).toBeDefined();
  expect(screen.queryByText("Nothing here")).toBeNull();
});
