import { useEffect } from "react";
import { t } from "../strings";

export function useTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title ? `${title} · ${t.common.product}` : t.common.product;
  }, [title]);
}
