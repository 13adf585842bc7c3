import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { VotersCard } from "./VotersCard";

it("tells how good votes are without an interval, and not at all of few", () => {
  const annotators = [30, 19].map((labels, index) => ({
    ...{ user_id: null, source_name: `column ${index}`, labels, quality: 0.9 },
  }));
  render(
    <QueryClientProvider client={new QueryClient()}>
      <VotersCard projectId={1} votes={{ examples: 30, other_consensus: 0, annotators }} />
    </QueryClientProvider>,
  );
  const cells = screen.getAllByRole("row").map((row) => row.lastElementChild?.textContent);
  expect(cells.slice(1)).toEqual(["90.0\u00a0%", "too few yet"]);
});
