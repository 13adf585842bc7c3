import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { Link, MemoryRouter, Route, Routes, useLocation } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import type { Project } from "../../api/types";
import { t } from "../../strings";
import { DangerCard } from "./DangerCard";

const { removal: text } = t.setup;
const project = { id: 7, name: "cats", state: "paused" } as Project;

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const Where = () => <output>{useLocation().pathname}</output>;

it.each([
  ["from the page of a project that is deleted to all of them", false, "/"],
  ["nobody away who has gone elsewhere meanwhile", true, "/label"],
])("takes %s", async (_, leaves, path) => {
  let answer = () => {};
  const answered = new Promise<Response>((resolve) => {
    answer = () => resolve(new Response(null, { status: 204 }));
  });
  vi.stubGlobal("fetch", () => answered);
  const client = new QueryClient();
  render(
    <QueryClientProvider client={client}>
      <MemoryRouter initialEntries={["/settings"]}>
        <Where />
        <Link to="/label">Label</Link>
        <Routes>
          <Route path="/settings" element={<DangerCard project={project} />} />
          <Route path="*" element={null} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  );
  fireEvent.click(screen.getByRole("button", { name: text.action }));
  const dialog = within(screen.getByRole("dialog"));
  fireEvent.click(dialog.getByRole("button", { name: text.action }));
  if (leaves) fireEvent.click(screen.getByRole("link"));
  await vi.waitFor(() => expect(client.isMutating()).toBe(1));
  answer();
  await vi.waitFor(() => expect(client.isMutating()).toBe(0));
  await vi.waitFor(() => expect(screen.getByRole("status").textContent).toBe(path));
});
