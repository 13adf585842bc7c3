import { useId } from "react";
import { useNavigate, useSearchParams } from "react-router";
import type { Round } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { isElsewhere } from "../../ui/hotkeys";
import { useKeyDown } from "../../ui/useKeyDown";
import styles from "./RoundScreen.module.css";

type RoundSliderProps = { projectId: number; rounds: Round[]; number: number };

/** From round to round, by dragging, by buttons, or by the arrow keys. */
export function RoundSlider({ projectId, rounds, number }: RoundSliderProps) {
  const id = useId();
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const last = rounds.length - 1;
  const go = (to: number) => {
    if (to < 0 || to > last || to === number) return;
    // An outline is of one round's scores.
    const kept = new URLSearchParams(search);
    kept.delete("outline");
    navigate(`/projects/${projectId}/rounds/${to}?${kept}`, {
      replace: true,
    });
  };
  useKeyDown((event) => {
    if (isElsewhere(event) || event.shiftKey) return;
    if (event.key === "ArrowLeft") go(number - 1);
    if (event.key === "ArrowRight") go(number + 1);
  });
  return (
    <div className={styles.slider}>
      <Button
        size="small"
        aria-label={t.rounds.previous}
        disabled={number <= 0}
        onClick={() => go(number - 1)}
      >
        ←
      </Button>
      <label htmlFor={id} className="visually-hidden">
        {t.rounds.slider}
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={last}
        step={1}
        value={number}
        disabled={last === 0}
        aria-valuetext={t.rounds.title(number)}
        onChange={(event) => go(event.target.valueAsNumber)}
      />
      <Button
        size="small"
        aria-label={t.rounds.next}
        disabled={number >= last}
        onClick={() => go(number + 1)}
      >
        →
      </Button>
      <span className={styles.quiet}>{t.rounds.sliderHint}</span>
    </div>
  );
}
