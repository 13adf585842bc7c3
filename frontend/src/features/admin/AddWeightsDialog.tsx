import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { Weights } from "../../api/types";
import { uploadWeights, weightsQuery } from "../../api/weights";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { SelectField, TextField } from "../../ui/Field";
import { formatBytes } from "../../ui/format";
import { Meter } from "../../ui/Meter";
import styles from "./AdminScreen.module.css";

const { weights: text } = t;
// They are called so in every language.
const LIBRARIES: readonly Weights["library"][] = ["timm", "torchvision", "open_clip"];

type AddWeightsDialogProps = {
  /** The network that a file is wanted for, if that is known. */
  library: string | null;
  architecture: string;
  onClose: () => void;
};

export function AddWeightsDialog(props: AddWeightsDialogProps) {
  const { onClose } = props;
  const client = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const [library, setLibrary] = useState<Weights["library"]>(
    LIBRARIES.find((one) => one === props.library) ?? "timm",
  );
  const [architecture, setArchitecture] = useState(props.architecture);
  const [name, setName] = useState("");
  const [sent, setSent] = useState(0);
  const [stop] = useState(() => new AbortController());
  const add = useMutation({
    mutationFn: (chosen: File) =>
      uploadWeights({
        file: chosen,
        name,
        library,
        architecture: architecture.trim(),
        onProgress: setSent,
        signal: stop.signal,
      }),
    onSuccess: () => {
      client.invalidateQueries({ queryKey: weightsQuery.queryKey });
      onClose();
    },
  });
  const close = () => {
    stop.abort();
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSent(0);
    if (file) add.mutate(file);
  };
  return (
    <Dialog title={text.add} onClose={close}>
      <form className={styles.form} onSubmit={submit}>
        <TextField
          label={text.file}
          hint={text.fileHint}
          type="file"
          required
          onChange={(event) => setFile(event.target.files?.[0] ?? null)}
        />
        <SelectField
          label={text.library}
          value={library}
          onChange={(event) => setLibrary(event.target.value as Weights["library"])}
        >
          {LIBRARIES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </SelectField>
        <TextField
          label={text.architecture}
          hint={text.architectureHint}
          required
          autoComplete="off"
          spellCheck={false}
          maxLength={120}
          value={architecture}
          onChange={(event) => setArchitecture(event.target.value)}
        />
        <TextField
          label={text.name}
          hint={text.nameHint}
          autoComplete="off"
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        {add.isPending && file && (
          <Meter
            label={file.name}
            value={sent}
            max={file.size}
            text={text.sent(formatBytes(sent), formatBytes(file.size))}
          />
        )}
        <ErrorNotice error={add.error} />
        <DialogActions>
          <Button onClick={close}>{t.common.cancel}</Button>
          <Button type="submit" kind="primary" busy={add.isPending}>
            {text.send}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
