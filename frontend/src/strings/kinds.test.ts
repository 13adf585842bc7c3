import { expect, it } from "vitest";
import api from "../../openapi.json";
import { jobList } from "./en/jobList";

it("calls every kind of artifact by words", () => {
  const kinds = api.components.schemas.ArtifactKind.enum;
  expect(Object.keys(jobList.artifactKinds).sort()).toEqual([...kinds].sort());
});
