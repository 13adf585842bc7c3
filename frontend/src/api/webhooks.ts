import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { call, client } from "./client";
import type { Delivery, WebhookInput, WebhookPlace } from "./types";

const at = (id: number) => ({ params: { path: { webhook_id: id } } });

/** How often to look while something is on its way, and while nothing is known to be. */
const SOON_MS = 1_500;
const NOW_AND_THEN_MS = 15_000;

/** Still to be told for the first time, or about to be told again. */
export const isUnderWay = (delivery: Delivery | null | undefined): boolean =>
  delivery?.state === "waiting" && delivery.fault === null;

/** Those of a project, or those of all projects. */
export const webhooksQuery = (place: WebhookPlace) =>
  queryOptions({
    queryKey: place === "all" ? ["admin", "webhooks"] : ["project", place, "webhooks"],
    queryFn: () =>
      place === "all"
        ? call(client.GET("/api/admin/webhooks"))
        : call(
            client.GET("/api/projects/{project_id}/webhooks", {
              params: { path: { project_id: place } },
            }),
          ),
    refetchInterval: ({ state }) =>
      state.data?.items.some((hook) => isUnderWay(hook.latest)) ? SOON_MS : NOW_AND_THEN_MS,
  });

export const createWebhook = (place: WebhookPlace, body: WebhookInput) =>
  place === "all"
    ? call(client.POST("/api/admin/webhooks", { body }))
    : call(
        client.POST("/api/projects/{project_id}/webhooks", {
          params: { path: { project_id: place } },
          body,
        }),
      );

export const updateWebhook = (id: number, body: Partial<WebhookInput> & { active?: boolean }) =>
  call(client.PATCH("/api/webhooks/{webhook_id}", { ...at(id), body }));

export const deleteWebhook = (id: number) =>
  call(client.DELETE("/api/webhooks/{webhook_id}", at(id)));

export const rotateSecret = (id: number) =>
  call(client.POST("/api/webhooks/{webhook_id}/secret", at(id)));

export const testWebhook = (id: number) =>
  call(client.POST("/api/webhooks/{webhook_id}/test", at(id)));

export const deliveriesQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: ["webhooks", id, "deliveries"],
    initialPageParam: null as number | null,
    queryFn: ({ pageParam: cursor }) =>
      call(
        client.GET("/api/webhooks/{webhook_id}/deliveries", {
          params: { path: { webhook_id: id }, query: { cursor } },
        }),
      ),
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state }) =>
      state.data?.pages[0]?.items.some(isUnderWay) ? SOON_MS : NOW_AND_THEN_MS,
  });

export const redeliver = (delivery: Delivery, webhookId: number) =>
  call(
    client.POST("/api/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver", {
      params: { path: { webhook_id: webhookId, delivery_id: delivery.id } },
    }),
  );
