import { t } from "../../strings";
import type { Fields } from "./model";
import styles from "./Row.module.css";
import { RowText } from "./RowText";
import type { OwnFields } from "./sameness";

type RowProps = {
  fields: Fields;
  /** What of each part is its own beside other rows. */
  own?: OwnFields | undefined;
  mono?: boolean;
  /** Only what is asked, or only the answer, where the page shows the other elsewhere. */
  only?: "asked" | "answer" | undefined;
};

/** One row of instruction data: what is asked, what it is about, and the answer. */
export function Row({ fields, own, mono = false, only }: RowProps) {
  const { system, instruction, input, responses, turns = [] } = fields;
  const words = t.instructions.parts;
  if (turns.length > 0) return <Turns fields={fields} mono={mono} />;
  const [response = "", ...others] = responses;
  return (
    <div className={styles.row}>
      {only !== "answer" && (
        <>
          {system && <Part name={words.system} text={system} mono={mono} kind="system" />}
          <Part
            name={words.instruction}
            text={instruction}
            own={own?.instruction}
            mono={mono}
            kind="instruction"
          />
          {input && (
            <Part name={words.input} text={input} own={own?.input} mono={mono} kind="input" />
          )}
        </>
      )}
      {only !== "asked" && (
        <Part
          name={words.response}
          text={response}
          own={own?.response}
          mono={mono}
          kind="response"
        />
      )}
      {others.map((other, index) => (
        <Part
          // biome-ignore lint/suspicious/noArrayIndexKey: the answers of a row never move.
          key={index}
          name={words.another(index + 2)}
          text={other}
          mono={mono}
          kind="response"
        />
      ))}
    </div>
  );
}

type PartProps = {
  name: string;
  text: string;
  own?: { from: number; to: number } | null | undefined;
  mono: boolean;
  kind: "system" | "instruction" | "input" | "response" | "turn";
};

function Part({ name, text, own, mono, kind }: PartProps) {
  return (
    <section className={styles.part} data-kind={kind}>
      <h4>{name}</h4>
      <RowText text={text} own={own} mono={mono} />
    </section>
  );
}

function Turns({ fields: { system, turns = [] }, mono }: { fields: Fields; mono: boolean }) {
  const { roles, parts } = t.instructions;
  return (
    <div className={styles.row}>
      {system && <Part name={parts.system} text={system} mono={mono} kind="system" />}
      {turns.map(({ role, content }, index) => (
        <Part
          // biome-ignore lint/suspicious/noArrayIndexKey: the turns of a conversation never move.
          key={index}
          name={roles[role as keyof typeof roles] ?? role}
          text={content}
          mono={mono}
          kind={role === "assistant" ? "response" : "instruction"}
        />
      ))}
    </div>
  );
}
