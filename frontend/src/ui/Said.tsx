import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { meQuery } from "../api/auth";
import { ApiError } from "../api/errors";
import { missingIn } from "../api/weights";
import { t } from "../strings";
import type { Fault } from "../strings/faults";
import { useTold } from "./titled";

type SaidProps = {
  children: string | Error | null | undefined;
  /** Which weights are missing, where it may say so and does not say of which network. */
  missing?: URLSearchParams;
};

/** What the server says, or why it could not, in people's language, with titles in place of names. */
export function Said({ children, missing }: SaidProps) {
  const sentence = children instanceof Error ? children.message : children;
  const faults = children instanceof ApiError ? children.faults : NONE;
  if (!sentence) return null;
  return (
    <Told missing={missing} faults={faults}>
      {sentence}
    </Told>
  );
}

const NONE: readonly Fault[] = [];

type ToldProps = {
  children: string;
  missing: URLSearchParams | undefined;
  faults: readonly Fault[];
};

function Told({ children, missing, faults }: ToldProps) {
  const told = useTold(children, faults);
  const place = `(${t.weights.place})`;
  const at = told.indexOf(place);
  if (at < 0) return told;
  return (
    <>
      {told.slice(0, at)}(<Place missing={missingIn(children) ?? missing} />)
      {told.slice(at + place.length)}
    </>
  );
}

/** Where weights are added; who may, is led there. */
function Place({ missing }: Pick<ToldProps, "missing">) {
  const { data: user } = useQuery(meQuery);
  if (user?.role !== "admin") return t.weights.place;
  return (
    <Link to={missing ? `/admin/weights?${missing}` : "/admin/weights"}>{t.weights.place}</Link>
  );
}
