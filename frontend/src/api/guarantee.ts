import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { call, client } from "./client";
import type { components } from "./schema";

type Schemas = components["schemas"];
/** What random draws say of the present model. */
export type Draws = Schemas["AuditEstimate"];
export type Interval = Pick<Schemas["AuditShare"], "share" | "low" | "high">;
export type Certificate = Schemas["CertificateOut"];
export type CertificateDetail = Schemas["CertificateDetail"];
export type CertificateInput = Schemas["CertificateIn"];
export type CertificateReport = Schemas["CertificateReport"];
export type Lot = Schemas["CertificateLot"];

const at = (projectId: number) => ({ params: { path: { project_id: projectId } } });
const of = (projectId: number, id: number) => ({
  params: { path: { project_id: projectId, certificate_id: id } },
});
const keyOf = (projectId: number) => ["project", projectId, "certificates"];

export const drawsQuery = (projectId: number) =>
  queryOptions({
    queryKey: ["project", projectId, "audit"],
    queryFn: () => call(client.GET("/api/projects/{project_id}/audit", at(projectId))),
  });

/** Has people asked about `n` more examples, drawn at random. */
export const askDraws = (projectId: number, n: number) =>
  call(client.POST("/api/projects/{project_id}/audit", { ...at(projectId), body: { n } }));

/** The latest certificates, newest first and page by page. */
export const certificatesQuery = (projectId: number) =>
  infiniteQueryOptions({
    queryKey: keyOf(projectId),
    initialPageParam: null as number | null,
    queryFn: ({ pageParam: cursor }) =>
      call(
        client.GET("/api/projects/{project_id}/certificates", {
          params: { path: { project_id: projectId }, query: { cursor } },
        }),
      ),
    getNextPageParam: (page) => page.next_cursor,
  });

export const certificateQuery = (projectId: number, id: number) =>
  queryOptions({
    queryKey: [...keyOf(projectId), id],
    queryFn: () =>
      call(
        client.GET("/api/projects/{project_id}/certificates/{certificate_id}", of(projectId, id)),
      ),
  });

export const reportQuery = (projectId: number, id: number) =>
  queryOptions({
    queryKey: [...keyOf(projectId), id, "report"],
    queryFn: () =>
      call(
        client.GET(
          "/api/projects/{project_id}/certificates/{certificate_id}/report",
          of(projectId, id),
        ),
      ),
  });

export const reportUrl = (projectId: number, id: number): string =>
  `/api/projects/${projectId}/certificates/${id}/report`;

export const beginCertificate = (projectId: number, body: CertificateInput) =>
  call(client.POST("/api/projects/{project_id}/certificates", { ...at(projectId), body }));

export type CertificateAction = "apply" | "revoke";

export const actOnCertificate = (projectId: number, id: number, action: CertificateAction) =>
  call(
    client.POST(
      `/api/projects/{project_id}/certificates/{certificate_id}/${action}`,
      of(projectId, id),
    ),
  );
