import { useQuery } from "@tanstack/react-query";
import { subsetComparisonQuery } from "../../api/subsets";
import type { LabelClass, Project, SubsetComparison } from "../../api/types";
import { t } from "../../strings";
import { formatCount } from "../../ui/format";
import { Failure, Loading, Skeleton } from "../../ui/State";
import { formatMeasured } from "../../ui/shares";
import { Table } from "../../ui/Table";
import { ExampleGallery } from "./ExampleGallery";
import styles from "./JobsScreen.module.css";

const { subsets: text } = t.jobs;

type SubsetComparisonViewProps = { project: Project; a: number; b: number };

/** Two subsets side by side: figures, and the first images that only one of them keeps. */
export function SubsetComparisonView({ project, a, b }: SubsetComparisonViewProps) {
  const found = useQuery(subsetComparisonQuery(project.id, a, b));
  if (found.error && !found.data)
    return <Failure error={found.error} onRetry={() => found.refetch()} />;
  if (!found.data) {
    return (
      <Loading>
        <Skeleton height="14rem" />
      </Loading>
    );
  }
  const both = found.data;
  const only = [
    { id: a, count: both.only_a, examples: both.first_only_a },
    { id: b, count: both.only_b, examples: both.first_only_b },
  ];
  return (
    <>
      <p title={t.glossary.terms.jaccard.text}>
        {text.both(both.intersection, both.union, both.jaccard.toFixed(3))}
      </p>
      <Figures classes={project.classes} both={both} />
      <div className={styles.pair}>
        {only.map(({ id, count, examples }, side) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the sides never move, and both may be the same subset.
          <section key={side} className={styles.side} aria-label={text.onlyIn(id)}>
            <h3>{text.onlyIn(id)}</h3>
            {count > 0 && <p className={styles.hint}>{text.onlyHint(examples.length, count)}</p>}
            <ExampleGallery classes={project.classes} examples={examples} none={text.nothing} />
          </section>
        ))}
      </div>
    </>
  );
}

function Figures({ classes, both }: { classes: LabelClass[]; both: SubsetComparison }) {
  const sides = [
    { ...both.a, only: both.only_a },
    { ...both.b, only: both.only_b },
  ];
  const keptAs = (side: (typeof sides)[number], id: number) =>
    formatCount(side.balance.find((one) => one.class_id === id)?.kept ?? 0);
  const lines: [string, string[]][] = [
    [text.kept, sides.map((side) => text.keptOf(side.kept, side.labeled))],
    [text.only, sides.map((side) => formatCount(side.only))],
    [text.noise, sides.map((side) => formatMeasured(side.noise.ratio, side.noise.known))],
    [text.known, sides.map((side) => formatCount(side.noise.known))],
    ...classes
      .filter((one) => sides.some((side) => side.balance.some((it) => it.class_id === one.id)))
      .map((one): [string, string[]] => [
        text.keptAs(one.name),
        sides.map((side) => keptAs(side, one.id)),
      ]),
  ];
  return (
    <Table label={text.compare}>
      <thead>
        <tr>
          <th scope="col">{text.figure}</th>
          <th scope="col" data-number>
            {text.name(both.a.id)}
          </th>
          <th scope="col" data-number>
            {text.name(both.b.id)}
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map(([label, [one, two]]) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            <td data-number>{one}</td>
            <td data-number>{two}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
