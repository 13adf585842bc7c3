import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { pageQuery } from "../api/pages";
import { DocumentationPage } from "../features/docs/DocumentationPage";
import { Failure } from "../ui/State";
import { NotFoundPage } from "./ErrorPages";

export function Component() {
  const { kind = "", name = "" } = useParams();
  const page = useQuery(pageQuery(kind, name));
  if (page.error && !page.data)
    return <Failure error={page.error} onRetry={() => page.refetch()} />;
  if (page.isPending) return null;
  return page.data === null ? <NotFoundPage /> : <DocumentationPage html={page.data.html} />;
}
