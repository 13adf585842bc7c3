import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { findByWords, wordsQuery } from "../../api/alike";
import { cancelJob } from "../../api/rounds";
import type { Job } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { formatSeconds } from "../../ui/format";
import { Meter } from "../../ui/Meter";
import { Said } from "../../ui/Said";
import { Notice } from "../../ui/State";
import styles from "./Compared.module.css";
import { SearchField } from "./SearchField";

const { words: text } = t.alike;

type WordSearchProps = {
  projectId: number;
  /** What is looked for now; empty for nothing. */
  value: string;
  onFound: (file: number, words: string) => void;
  onEnd: () => void;
};

/** Looks for images that show what words say, where there are weights that understand them. */
export function WordSearch(props: WordSearchProps) {
  const { data } = useQuery(wordsQuery(props.projectId));
  if (!data?.weights) return null;
  // Another search, or none, takes the place of what was typed.
  return <Search key={props.value} {...props} />;
}

function Search({ projectId, value, onFound, onEnd }: WordSearchProps) {
  const [typed, setTyped] = useState(value);
  const [job, setJob] = useState<Job | null>(null);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const search = useMutation({
    mutationFn: (words: string) => {
      stop.current?.abort();
      stop.current = new AbortController();
      return findByWords(projectId, words, stop.current.signal, setJob);
    },
    onSuccess: onFound,
    onSettled: () => setJob(null),
  });
  const cancel = useMutation({ mutationFn: cancelJob });
  const failed = search.error?.name === "AbortError" ? null : search.error;
  const seen = job?.progress?.phase === "embed" ? job.progress : null;
  const send = () => {
    const words = typed.trim();
    if (words === "") onEnd();
    else if (words !== value || failed) search.mutate(words);
  };
  return (
    <div className={styles.words}>
      <SearchField
        label={text.label}
        hint={text.hint}
        placeholder={text.placeholder}
        maxLength={300}
        aria-busy={search.isPending}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          // What the cross in the field does; backspace keeps what is found until Enter.
          if (event.target.value === "" && !("inputType" in event.nativeEvent)) onEnd();
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.nativeEvent.isComposing) send();
        }}
      />
      {search.isPending && !seen && (
        <p role="status">{job?.message ? <Said>{job.message}</Said> : text.looking}</p>
      )}
      {job && seen && (
        <Notice
          actions={
            <Button size="small" busy={cancel.isPending} onClick={() => cancel.mutate(job.id)}>
              {t.common.cancel}
            </Button>
          }
        >
          <Meter
            label={text.seeing}
            value={seen.step}
            max={seen.steps}
            text={seen.eta_seconds === null ? "" : text.left(formatSeconds(seen.eta_seconds))}
          />
        </Notice>
      )}
      <ErrorNotice error={failed} />
    </div>
  );
}
