import { Explained } from "../../ui/Explained";
import { useSaid } from "../../ui/titled";
import styles from "./RoundScreen.module.css";

/** What was to be said of a round when it was made. */
export function Notes({ notes }: { notes: string[] }) {
  const said = useSaid();
  return (
    <ul className={styles.notes}>
      {notes.map((note) => (
        <li key={note}>
          <Explained>{said(note)}</Explained>
        </li>
      ))}
    </ul>
  );
}
