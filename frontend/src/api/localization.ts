import { queryOptions } from "@tanstack/react-query";
import { call, client } from "./client";
import type { Method, Weights } from "./results";
import { succeeded } from "./rounds";
import type { Job } from "./types";

/** Left, top, right and bottom, in pixels of the upright picture. */
export type Edges = [number, number, number, number];
/** Rows of 0 to 255. */
export type Levels = number[][];

/** How well boxes agree with the true ones, over the images that judge: shares of 0..1. */
export type Found = { iou: number; localized: number; overlaps: number[] };
export type Guess = "mean_box" | "whole_image";
/** What a method finds; what is read off a map has a threshold, and a classifier behind it. */
export type FoundByMethod = Found & {
  accuracy?: number;
  thresholds?: number[];
  max_box_acc?: number;
  best_threshold?: number;
  constant?: number;
};

/** The result of a job `localize`. */
export type Localization = {
  warnings?: string[];
  localize: "cam" | "regression";
  methods: Partial<Record<Method, FoundByMethod>>;
  weights?: Weights;
  /** Why a method was not compared. */
  refused: Partial<Record<Method, string>>;
  floors: Record<Guess, Found>;
  overlap: number;
  threshold: number;
  overlaps: number[];
  thresholds: number[];
  judged_on: "evaluation" | "held_out";
  counts: Record<"inside" | "ood" | "test" | "none" | "several" | "cropped", number>;
};

/** Some of the images that judge, and what each method says of them. */
export type Overlays = {
  examples: number[];
  sizes: [number, number][];
  /** What maps lie over; missing in those of earlier versions, of which these are the middles. */
  squares?: Edges[];
  class_ids: number[];
  truth: Edges[];
  methods: Partial<Record<Method, { boxes: Edges[]; iou: number[]; maps: Levels[] | null }>>;
};

/** Where the last round's model sees a class on an image: the result of a job `look_at`. */
export type Look = {
  round: number;
  class_id: number;
  probability: number;
  predicted_class_id: number;
  map: Levels;
  square: Edges;
  box: Edges | null;
};

/** Have a worker look at an image; without a class, for the one that the model says. */
export const lookQuery = (projectId: number, exampleId: number, classId: number | null) =>
  queryOptions({
    queryKey: ["project", projectId, "look-at", exampleId, classId],
    // A round may close meanwhile, and its model see other things.
    staleTime: 60_000,
    retry: false,
    queryFn: ({ signal }) => lookAt(projectId, exampleId, classId, signal),
  });

async function lookAt(
  projectId: number,
  exampleId: number,
  classId: number | null,
  signal: AbortSignal,
): Promise<Look> {
  const job: Job = await call(
    client.POST("/api/projects/{project_id}/examples/{example_id}/look-at", {
      params: { path: { project_id: projectId, example_id: exampleId } },
      body: { class_id: classId },
      signal,
    }),
  );
  return (await succeeded(job, signal)).result as unknown as Look;
}
