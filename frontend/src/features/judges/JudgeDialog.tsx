import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ComponentProps, type FormEvent, useRef, useState } from "react";
import {
  createJudge,
  type Judge,
  type JudgeInput,
  judgesQuery,
  updateJudge,
} from "../../api/judges";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { CheckField, TextField } from "../../ui/Field";
import { focusInvalid } from "../../ui/focusInvalid";
import { NumberField } from "../../ui/NumberField";
import styles from "./Judges.module.css";

const { judges: text } = t;

type Fields = Omit<JudgeInput, "key">;

const USUAL: Fields = {
  name: "",
  base_url: "",
  model: "",
  embedding_model: null,
  price_in: null,
  price_out: null,
  concurrency: 8,
  timeout: 60,
  requests_per_minute: null,
  max_tokens: 256,
};

/** What there is of a judge that can be changed; its key is not among it. */
function fieldsOf(judge: Judge): Fields {
  const { id: _, has_key: __, created_at: ___, trial: ____, ...fields } = judge;
  return fields;
}

type JudgeDialogProps = { judge: Judge | null; onClose: () => void };

/** Asks for a judge, or for what is to be otherwise of one. A key can be typed and never read. */
export function JudgeDialog({ judge, onClose }: JudgeDialogProps) {
  const client = useQueryClient();
  const [fields, setFields] = useState<Fields>(judge ? fieldsOf(judge) : USUAL);
  const [key, setKey] = useState("");
  const [removesKey, setRemovesKey] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const change = (values: Partial<Fields>) => setFields((before) => ({ ...before, ...values }));
  const save = useMutation({
    mutationFn: () => {
      const keyed = removesKey ? { key: null } : key.trim() ? { key: key.trim() } : {};
      const body = { ...trimmed(fields), ...keyed };
      return judge ? updateJudge(judge.id, body) : createJudge(body);
    },
    onSuccess: () => {
      client.invalidateQueries({ queryKey: judgesQuery.queryKey });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (form.current && !focusInvalid(form.current)) save.mutate();
  };
  const typed = (
    name: "name" | "base_url" | "model",
    more: Partial<ComponentProps<typeof TextField>> & { label: string },
  ) => (
    <TextField
      required
      autoComplete="off"
      spellCheck={false}
      value={fields[name]}
      onChange={(event) => change({ [name]: event.target.value })}
      {...more}
    />
  );
  return (
    <Dialog title={judge ? text.editTitle(judge.name) : text.add} onClose={onClose}>
      <form ref={form} className={styles.form} onSubmit={submit}>
        {typed("name", { label: text.name, hint: text.nameHint, maxLength: 100 })}
        {typed("base_url", {
          label: text.baseUrl,
          hint: text.baseUrlHint,
          type: "url",
          placeholder: "https://judge.example.org/v1",
        })}
        {typed("model", { label: text.model, hint: text.modelHint, maxLength: 200 })}
        <TextField
          label={text.key}
          hint={judge?.has_key ? text.keyKept : text.keyHint}
          type="password"
          // No password of anybody's: browsers must neither fill it in nor keep it.
          autoComplete="new-password"
          disabled={removesKey}
          value={key}
          onChange={(event) => setKey(event.target.value)}
        />
        {judge?.has_key && (
          <CheckField
            label={text.keyRemove}
            checked={removesKey}
            onChange={(event) => setRemovesKey(event.target.checked)}
          />
        )}
        <details>
          <summary>{text.more}</summary>
          <Numbers fields={fields} onChange={change} />
        </details>
        <ErrorNotice error={save.error} />
        <DialogActions>
          <Button onClick={onClose}>{t.common.cancel}</Button>
          <Button type="submit" kind="primary" busy={save.isPending}>
            {judge ? text.save : text.add}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

const trimmed = (fields: Fields): Fields => ({
  ...fields,
  name: fields.name.trim(),
  base_url: fields.base_url.trim(),
  model: fields.model.trim(),
  embedding_model: fields.embedding_model?.trim() || null,
});

type NumbersProps = { fields: Fields; onChange: (values: Partial<Fields>) => void };

function Numbers({ fields, onChange }: NumbersProps) {
  const whole = (name: "concurrency" | "max_tokens", label: string, hint?: string) => (
    <NumberField
      label={label}
      hint={hint}
      value={fields[name]}
      integer
      min={name === "max_tokens" ? 16 : 1}
      max={name === "max_tokens" ? 100_000 : 256}
      onChange={(value) => value !== null && onChange({ [name]: value })}
    />
  );
  const price = (name: "price_in" | "price_out", label: string) => (
    <NumberField
      label={label}
      hint={text.priceHint}
      value={fields[name]}
      nullable
      min={0}
      onChange={(value) => onChange({ [name]: value })}
    />
  );
  return (
    <div className={styles.fields}>
      {price("price_in", text.priceIn)}
      {price("price_out", text.priceOut)}
      {whole("concurrency", text.concurrency, text.concurrencyHint)}
      <NumberField
        label={text.perMinute}
        hint={text.perMinuteHint}
        value={fields.requests_per_minute}
        nullable
        integer
        min={1}
        onChange={(requests_per_minute) => onChange({ requests_per_minute })}
      />
      <NumberField
        label={text.timeout}
        value={fields.timeout}
        min={1}
        max={3600}
        onChange={(timeout) => timeout !== null && onChange({ timeout })}
      />
      {whole("max_tokens", text.maxTokens)}
      <TextField
        label={text.embeddingModel}
        hint={text.embeddingModelHint}
        autoComplete="off"
        spellCheck={false}
        value={fields.embedding_model ?? ""}
        onChange={(event) => onChange({ embedding_model: event.target.value || null })}
      />
    </div>
  );
}
