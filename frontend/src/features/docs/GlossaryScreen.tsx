import { t } from "../../strings";
import { Card } from "../../ui/Card";
import styles from "./GlossaryScreen.module.css";

const { glossary: text } = t;

/** Every word that has a meaning of its own here. */
export function GlossaryScreen() {
  return (
    <div className={styles.page}>
      <header>
        <h1>{text.title}</h1>
        <p>{text.hint}</p>
      </header>
      <Words title={text.everybody} words={Object.values(text.words)} />
      <Words title={text.experts} words={Object.values(text.terms)} />
    </div>
  );
}

type WordsProps = { title: string; words: { word: string; text: string }[] };

function Words({ title, words }: WordsProps) {
  return (
    <Card title={title}>
      <dl className={styles.words}>
        {words.map((one) => (
          <div key={one.word}>
            <dt>{one.word}</dt>
            <dd>{one.text}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
