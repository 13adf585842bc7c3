import type { PruneResult } from "../../api/results";
import type { Noise } from "../../api/types";
import { t } from "../../strings";
import { formatCount } from "../../ui/format";
import { formatMeasured } from "../../ui/shares";
import { Table } from "../../ui/Table";

const { subset: text } = t.jobs;
const PARTS = ["all", "kept", "dropped"] as const;

type NoiseTableProps = { result: PruneResult; noise: Record<(typeof PARTS)[number], Noise> };

/** How many labels are wrong: of all, of the kept, of the dropped. */
export function NoiseTable({ result, noise }: NoiseTableProps) {
  const labels = {
    all: result.labeled,
    kept: result.kept,
    dropped: result.labeled - result.kept,
  };
  const corrects = result.warm_up_corrects;
  const columns = [text.labels, text.known, text.wrong, text.ratio];
  if (corrects) columns.push(text.corrects);
  return (
    <Table label={text.noise}>
      <thead>
        <tr>
          <th scope="col">{text.part}</th>
          {columns.map((name) => (
            <th key={name} scope="col" data-number>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {PARTS.map((part) => (
          <tr key={part}>
            <th scope="row">{text.noiseOf[part]}</th>
            <td data-number>{formatCount(labels[part])}</td>
            <td data-number>{formatCount(noise[part].known)}</td>
            <td data-number>{formatCount(noise[part].wrong)}</td>
            <td data-number>{formatMeasured(noise[part].ratio, noise[part].known)}</td>
            {corrects && (
              <td data-number>{formatMeasured(corrects[part].ratio, corrects[part].wrong)}</td>
            )}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
