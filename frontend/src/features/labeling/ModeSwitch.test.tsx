import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { createMemoryRouter, RouterProvider } from "react-router";
import { afterEach, expect, it } from "vitest";
import type { Project, User } from "../../api/types";
import { ModeSwitch } from "./ModeSwitch";

afterEach(() => {
  cleanup();
  localStorage.clear();
});

const project = { id: 7, modes: ["single", "grid"], classes: [] } as unknown as Project;
const user = { id: 1 } as User;

it.each([
  ["the key", () => fireEvent.keyDown(document.body, { key: "v" })],
  ["the link", () => fireEvent.click(screen.getByRole("link", { name: "Grid" }))],
])("changes the mode by %s, and back leads to where one came from", async (_, change) => {
  const routes = [
    { path: "/", element: "home" },
    {
      path: "/projects/7/label",
      element: <ModeSwitch project={project} user={user} mode="single" />,
    },
    { path: "/projects/7/label/grid", element: "many" },
  ];
  const router = createMemoryRouter(routes, { initialEntries: ["/", "/projects/7/label"] });
  render(<RouterProvider router={router} />);
  await act(async () => void change());
  expect(router.state.location.pathname).toBe("/projects/7/label/grid");
  await act(() => router.navigate(-1));
  expect(router.state.location.pathname).toBe("/");
});
