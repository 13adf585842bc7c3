import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { type Draws, drawsQuery } from "../../api/guarantee";
import { roundsQuery } from "../../api/rounds";
import type { Project } from "../../api/types";
import { DrawsCard } from "./DrawsCard";

afterEach(cleanup);

function told(draws: Partial<Draws>) {
  const project = { id: 7, state: "draft", classes: [] } as unknown as Project;
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  const share = { n: 60, share: 0.9, low: 0.8, high: 0.96 };
  const found = {
    ...{ round: 4, answered: 160, waiting: 0, unsure: 0, confidence: 0.95, unlooked: 30_000 },
    ...{ accuracy: share, inside: null, ood: null, ood_share: null, per_class: [], people: null },
    ...{ of: 9_940, beyond: 0, past: 0, refused: null, share_of_queue: 0.05, ...draws },
  };
  client.setQueryData(drawsQuery(7).queryKey, found as never);
  client.setQueryData(roundsQuery(7).queryKey, { items: [] } as never);
  render(
    <QueryClientProvider client={client}>
      <DrawsCard project={project} />
    </QueryClientProvider>,
  );
  return screen.getByRole("region").textContent ?? "";
}

it("speaks of what the checks could have been, and of nothing that came later", () => {
  const said = told({ beyond: 20_000, past: 100 });
  expect(said).toContain("From 60 answered checks, when round 4 closed. It speaks of 9,940 images");
  expect(said).toContain("Of 20,000 images that came later it says nothing yet.");
  expect(said).toContain("100 earlier checks count no more");
  cleanup();
  expect(told({})).not.toMatch(/came later|count no more/);
});

it("says why none of the answered checks counts", () => {
  const said = told({ accuracy: null, answered: 100, past: 100 });
  expect(said).toMatch(/^.*100 earlier checks count no more: .*About one in 20/);
  expect(said).not.toContain("The share is told when the round closes.");
});
