import { useQuery } from "@tanstack/react-query";
import { algorithmsQuery, jobOf, parametersOf } from "../../api/algorithms";
import { serving } from "../../api/serving";
import type { Job } from "../../api/types";
import { t } from "../../strings";
import { spokenOf } from "../../strings/medium";
import { Card } from "../../ui/Card";
import { labelOf, wordsOf } from "../../ui/ParamsForm";
import styles from "./AllJobs.module.css";

/** What a job was asked to do; nothing for one without parameters. */
export function GivenCard({ job }: { job: Job }) {
  const algorithms = useQuery(algorithmsQuery);
  const all = algorithms.data?.items;
  const medium = spokenOf();
  const known = jobOf(all && serving(all, { medium }), job.kind);
  const schemas = known ? parametersOf(known) : {};
  // The database keeps them in no order; here they come as in the form.
  const names = Object.keys(schemas);
  const given = Object.entries(job.params)
    .filter(([name]) => name !== "dry_run" && (medium === "image" || !known || name in schemas))
    .sort(([one], [other]) => names.indexOf(one) - names.indexOf(other));
  if (given.length === 0) return null;
  return (
    <Card>
      <details className={styles.details}>
        <summary>{t.jobs.given}</summary>
        <dl className={styles.given}>
          {given.map(([name, value]) => (
            <div key={name}>
              <dt>{labelOf(name, schemas[name])}</dt>
              <dd>{wordsOf(value, schemas[name])}</dd>
            </div>
          ))}
        </dl>
      </details>
    </Card>
  );
}
