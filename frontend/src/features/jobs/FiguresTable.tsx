import type { Comparison } from "../../api/results";
import type { LabelClass } from "../../api/types";
import { t } from "../../strings";
import { Table } from "../../ui/Table";
import { bestOf, linesOf, nameOf, ofClass, trainedOf } from "./figures";

const { comparison } = t.jobs;

function MethodHeads({ first, result }: { first: string; result: Comparison }) {
  return (
    <thead>
      <tr>
        <th scope="col">{first}</th>
        {trainedOf(result).map((method) => (
          <th key={method} scope="col" data-number>
            {nameOf(result, method)}
          </th>
        ))}
      </tr>
    </thead>
  );
}

export function FiguresTable({ result }: { result: Comparison }) {
  return (
    <Table label={comparison.figures}>
      <MethodHeads first={comparison.figure} result={result} />
      <tbody>
        {linesOf(result).map((line) => {
          const best = bestOf(line);
          return (
            <tr key={line.label}>
              <th scope="row">{line.label}</th>
              {trainedOf(result).map((method, index) => (
                <td key={method} data-number>
                  <Figure
                    text={line.format(line.values[index] ?? null, index)}
                    best={best[index]}
                  />
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </Table>
  );
}

function Figure({ text, best }: { text: string; best: boolean | undefined }) {
  return best ? <strong>{text}</strong> : text;
}

type PerClassTableProps = { classes: LabelClass[]; result: Comparison };

export function PerClassTable({ classes, result }: PerClassTableProps) {
  return (
    <Table label={comparison.perClass}>
      <MethodHeads first={comparison.class} result={result} />
      <tbody>
        {result.class_ids.map((id, index) => (
          <tr key={id}>
            <th scope="row">{classes.find((one) => one.id === id)?.name ?? id}</th>
            {trainedOf(result).map((method) => (
              <td key={method} data-number>
                {ofClass(result, method, index)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
