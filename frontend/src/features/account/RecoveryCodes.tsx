import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { CopyButton } from "../../ui/CopyButton";
import { Notice } from "../../ui/State";
import styles from "./SecondFactor.module.css";

const { factor: text } = t.signIn;

/** Recovery codes at the only moment they are shown. */
export function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone: () => void }) {
  return (
    <div className={styles.steps}>
      <Notice tone="gold" actions={<CopyButton text={codes.join("\n")} />}>
        <strong>{text.codes}</strong>
        <p>{text.codesText}</p>
        <ol className={styles.codes}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ol>
      </Notice>
      <Button kind="primary" onClick={onDone}>
        {text.done}
      </Button>
    </div>
  );
}
