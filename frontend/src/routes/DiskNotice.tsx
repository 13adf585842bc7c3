import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { diskQuery } from "../api/home";
import type { User } from "../api/types";
import { t } from "../strings";
import { formatBytes } from "../ui/format";
import { Notice } from "../ui/State";
import styles from "./AppShell.module.css";

const { disk: text } = t.common;

/** Says quietly that the server's disk is nearly full, to those who import and start jobs. */
export function DiskNotice({ user }: { user: User }) {
  const { data } = useQuery({ ...diskQuery, enabled: user.role !== "annotator" });
  if (!data || data.state === "ok") return null;
  return (
    <div className={styles.disk}>
      <Notice tone="gold">
        {data.files === null ? text.low(formatBytes(data.free)) : text.files(data.files)}{" "}
        {user.role === "admin" && <Link to="/admin/storage">{text.look}</Link>}
      </Notice>
    </div>
  );
}
