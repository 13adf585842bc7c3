import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { meQuery } from "../api/auth";
import { t } from "../strings";
import { useTold } from "./titled";

type SaidProps = {
  children: string | Error | null | undefined;
  /** Which weights are missing, where it may say so. */
  missing?: URLSearchParams;
};

/** What the server says, or why it could not, in people's language, with titles in place of names. */
export function Said({ children, missing }: SaidProps) {
  const sentence = children instanceof Error ? children.message : children;
  return sentence ? <Told missing={missing}>{sentence}</Told> : null;
}

type ToldProps = { children: string; missing: URLSearchParams | undefined };

function Told({ children, missing }: ToldProps) {
  const told = useTold(children);
  const place = `(${t.weights.place})`;
  const at = told.indexOf(place);
  if (at < 0) return told;
  return (
    <>
      {told.slice(0, at)}(<Place missing={missing} />){told.slice(at + place.length)}
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
