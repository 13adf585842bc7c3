import type { Algorithm, Project } from "../../api/types";
import { Card } from "../../ui/Card";
import { DocumentationLink } from "../../ui/DocumentationLink";
import { Fetching } from "../../ui/Fetching";
import { JobControls, useJobsOfKind } from "../../ui/jobs/JobControls";
import { RunsTable } from "./RunsTable";

/** One kind of job: start it, follow it, find its results. */
export function JobKindCard({ project, algorithm }: { project: Project; algorithm: Algorithm }) {
  const jobs = useJobsOfKind(project.id, algorithm.name);
  return (
    <Card
      title={algorithm.title}
      hint={algorithm.summary}
      actions={<DocumentationLink algorithm={algorithm} />}
    >
      <Fetching of={jobs} height="4rem" />
      {jobs.data && <JobControls project={project} algorithm={algorithm} jobs={jobs.data.items} />}
      {jobs.data && jobs.data.items.length > 0 && (
        <RunsTable title={algorithm.title} jobs={jobs.data.items} />
      )}
    </Card>
  );
}
