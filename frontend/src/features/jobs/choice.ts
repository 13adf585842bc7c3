import type { Choice } from "../../api/types";

/** What a method makes of the present model: the scores in use may need its loss prediction. */
export function settingOf(model: Choice, method: Choice): Choice {
  const kept = model.params.loss_prediction ? { loss_prediction: true } : {};
  return { ...method, params: { ...method.params, ...kept } };
}

/** Whether a model trains as a method does. */
export function trainsAs(model: Choice, method: Choice): boolean {
  const wanted: Record<string, unknown> = { taufe: 0, oat: 0, ood_class: false, ...method.params };
  return (
    model.name === method.name &&
    Object.entries(wanted).every(([name, value]) => model.params[name] === value)
  );
}
