import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import { agreementQuery } from "../../api/agreement";
import { reviewsQuery } from "../../api/reviews";
import type { Project, ProjectAgreement } from "../../api/types";
import { t } from "../../strings";
import { AgreementCard } from "./AgreementCard";

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it("tells apart people of one name, and a column that is called as all are", () => {
  const warned = vi.spyOn(console, "error");
  const agreed = { share: 0.5, alpha: null };
  const proposals = { proposals: 2, kept: 1, adjusted: 1, rejected: 0, shifted: 0 };
  const voter = (user_id: number | null, name: string) => ({
    ...{ user_id, name, votes: 3, in_ood: agreed, classes: agreed },
    proposals: { ...proposals, shifted_kept: 0, iou: 0.5, seconds_per_box: null },
  });
  const { everybody } = t.overview.agreement;
  const voters = [voter(1, "Mina"), voter(2, "Mina"), voter(null, everybody)];
  const models = [
    { model: null, answers: 2, agreed: null, proposals },
    { model: "v8", answers: 2, agreed: null, proposals },
  ];
  const found = { examples: 3, in_ood: agreed, classes: agreed, voters, models };
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  client.setQueryData(agreementQuery(7).queryKey, found as unknown as ProjectAgreement);
  client.setQueryData(reviewsQuery(7).queryKey, { items: [] });
  render(
    <QueryClientProvider client={client}>
      <MemoryRouter>
        <AgreementCard project={{ id: 7 } as Project} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  expect(screen.getAllByRole("rowheader", { name: "Mina" })).toHaveLength(4);
  const { own } = t.predictions.agreement;
  expect(screen.getByRole("rowheader", { name: own })).toBeTruthy();
  expect(screen.getByRole("row", { name: /^v8 2 1 1 0/ })).toBeTruthy();
  expect(warned).not.toHaveBeenCalled();
});
