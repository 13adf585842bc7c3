import { Link } from "react-router";
import type { Selection } from "../../../api/selections";
import { t } from "../../../strings";
import { Card } from "../../../ui/Card";
import { Notice } from "../../../ui/State";
import { percentsOf } from "../../../ui/shares";
import { useSaid } from "../../../ui/titled";

type PeopleCardProps = { projectId: number; selection: Selection };

/** How often people would have chosen as the judge did, in words. */
export function PeopleCard({ projectId, selection: { people, judge } }: PeopleCardProps) {
  const text = t.selection;
  const said = useSaid();
  if (!people) {
    return judge ? (
      <Card title={text.people}>
        <p>{text.nobodyAsked}</p>
      </Card>
    ) : null;
  }
  const { agreement, tau, round, asked, audit, answered, refused } = people;
  return (
    <Card title={text.people} hint={text.followed}>
      <p>
        {agreement
          ? text.agreement(
              agreement.agree,
              agreement.of,
              ...percentsOf(
                agreement.of > 0 ? agreement.agree / agreement.of : 0,
                agreement.low,
                agreement.high,
              ),
            )
          : text.noAgreement}{" "}
        {tau !== null && text.tau(tau.toFixed(2))}
      </p>
      <p>
        {text.asked(asked, audit)} {text.answered(answered)}{" "}
        {round !== null && (
          <Link to={`/projects/${projectId}/rounds/${round}`}>{text.toRound}</Link>
        )}
      </p>
      {refused && <Notice tone="gold">{text.refusedPeople(said(refused))}</Notice>}
    </Card>
  );
}
