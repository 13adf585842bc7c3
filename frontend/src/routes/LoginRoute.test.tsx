import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { createMemoryRouter } from "react-router";
import { afterEach, expect, it } from "vitest";
import { meQuery } from "../api/auth";
import type { Me } from "../api/types";
import { LoginRoute } from "./LoginRoute";
import { Pages } from "./Pages";

afterEach(cleanup);

it.each([
  ["/projects/7?tab=a%20b", "page"],
  ["//elsewhere.example", "home"],
  ["/\\elsewhere.example", "home"],
  ["/\t/elsewhere.example", "home"],
  ["https://elsewhere.example", "home"],
])("leads on to pages of its own alone: %j", async (next, to) => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  client.setQueryData(meQuery.queryKey, { id: 1, name: "Ada", role: "annotator" } as Me);
  const router = createMemoryRouter(
    [
      { path: "/login", Component: LoginRoute },
      { path: "/", element: <p>home</p> },
      { path: "*", element: <p>page</p> },
    ],
    { initialEntries: [`/login?next=${encodeURIComponent(next)}`] },
  );
  render(
    <QueryClientProvider client={client}>
      <Pages router={router} />
    </QueryClientProvider>,
  );
  expect(await screen.findByText(to)).toBeTruthy();
});
