import { useQueryClient } from "@tanstack/react-query";
import { meQuery } from "../../api/auth";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { useTitle } from "../../ui/useTitle";
import styles from "./AccountScreen.module.css";
import { SecondFactorSetup } from "./SecondFactorSetup";

const { factor: text } = t.signIn;

/** Stands in for every page while somebody has no second factor who has to have one. */
export default function AddSecondFactor() {
  useTitle(text.requiredTitle);
  const client = useQueryClient();
  return (
    <div className={styles.choose}>
      <h1>{text.requiredTitle}</h1>
      <p className={styles.quiet}>{text.requiredText}</p>
      <Card>
        <SecondFactorSetup
          // Not before the recovery codes are kept: the page would be another one.
          onDone={() => client.invalidateQueries({ queryKey: meQuery.queryKey })}
        />
      </Card>
    </div>
  );
}
