import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { meQuery, sessionsQuery } from "../../api/auth";
import { removeSecondFactor, renewRecoveryCodes, secondFactorQuery } from "../../api/secondFactor";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Chip } from "../../ui/Chip";
import { Dialog } from "../../ui/Dialog";
import { Fetching } from "../../ui/Fetching";
import { ProofDialog } from "./ProofDialog";
import { RecoveryCodes } from "./RecoveryCodes";
import styles from "./SecondFactor.module.css";
import { SecondFactorSetup } from "./SecondFactorSetup";

const { factor: text } = t.signIn;

/** Whether a code is asked for with the password, and what changes that. */
export function SecondFactorCard() {
  const factor = useQuery(secondFactorQuery);
  const client = useQueryClient();
  const [asked, setAsked] = useState<"add" | "renew" | "remove" | null>(null);
  /** Whether the codes are shown, which nobody sees again. */
  const [hasCodes, setHasCodes] = useState(false);
  const changed = () => {
    setAsked(null);
    setHasCodes(false);
    for (const { queryKey } of [secondFactorQuery, sessionsQuery, meQuery])
      client.invalidateQueries({ queryKey: [...queryKey] });
  };
  const remove = useMutation({
    mutationFn: ([password, code]: [string, string]) => removeSecondFactor(password, code),
    onSuccess: changed,
  });
  const renew = useMutation({
    mutationFn: ([password, code]: [string, string]) => renewRecoveryCodes(password, code),
  });
  const close = () => {
    setAsked(null);
    remove.reset();
    renew.reset();
  };
  const found = factor.data;
  return (
    <Card
      title={text.title}
      hint={text.hint}
      actions={
        found &&
        (found.enabled ? (
          <>
            <Button onClick={() => setAsked("renew")}>{text.renew}</Button>
            {!found.required && <Button onClick={() => setAsked("remove")}>{text.remove}</Button>}
          </>
        ) : (
          <Button onClick={() => setAsked("add")}>{text.add}</Button>
        ))
      }
    >
      <Fetching of={factor} height="2rem" />
      {found && (
        <div className={styles.state}>
          <Chip tone={found.enabled ? "good" : "plain"}>{found.enabled ? text.on : text.off}</Chip>
          {found.enabled && <span>{text.left(found.recovery_codes)}</span>}
          {found.required && <span>{text.isRequired}</span>}
        </div>
      )}
      {asked === "add" && (
        <Dialog title={text.add} {...(!hasCodes && { onClose: close })}>
          <SecondFactorSetup onCancel={close} onCodes={() => setHasCodes(true)} onDone={changed} />
        </Dialog>
      )}
      {asked === "renew" &&
        (renew.data ? (
          <Dialog title={text.codes}>
            <RecoveryCodes
              codes={renew.data.recovery_codes}
              onDone={() => {
                renew.reset();
                changed();
              }}
            />
          </Dialog>
        ) : (
          <ProofDialog
            title={text.renewTitle}
            text={text.renewText}
            action={text.renew}
            busy={renew.isPending}
            error={renew.error}
            onProof={(...proof) => renew.mutate(proof)}
            onClose={close}
          />
        ))}
      {asked === "remove" && (
        <ProofDialog
          title={text.removeTitle}
          text={text.removeText}
          action={text.remove}
          danger
          busy={remove.isPending}
          error={remove.error}
          onProof={(...proof) => remove.mutate(proof)}
          onClose={close}
        />
      )}
    </Card>
  );
}
