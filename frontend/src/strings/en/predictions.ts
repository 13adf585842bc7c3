import { plural } from "./words";

/** What models of others predict, as imports bring it. */
export const predictions = {
  title: "Predictions of models",
  hint: "Annotators are shown those of the model on top; where it has none of an image, Karat’s own. They are no labels.",
  of: (count: number) => plural(count, "image", "images"),
  serves: "Suggested",
  remove: "Remove",
  removeThis: (model: string) => `Remove the predictions of ${model}`,
  removeTitle: (model: string) => `Remove the predictions of ${model}?`,
  removeText:
    "They are suggested no more. Answers that were given with them stay. To have them again, import them again.",
  plan: {
    readable: (model: string, count: number) =>
      `${model} predicts something of ${plural(count, "image", "images")}. It is suggested to annotators, and counts as nobody’s label.`,
    leftAside: "What is left aside, and why?",
    label: "Are these predictions of a model?",
    hint: "Then say what it is called. They are suggested to annotators, and count as nobody’s label.",
    again: "Take them as predictions",
    column: "Tick the one column that holds what it predicts.",
    take: "Import predictions",
    sure: "Column of how sure the model is, if there is one",
    none: "None",
    labels: "Take them as labels",
  },
  /** What an import brought. */
  added: (count: number) => plural(count, "prediction", "predictions"),
  label: {
    suggests: (model: string) => `${model} suggests`,
    take: (name: string, share: string | null) => (share ? `${name}, ${share}` : name),
  },
  agreement: {
    title: "Suggestions, by model",
    hint: "What annotators made of what each model proposed. They saw it before they answered, so that they agree with it more often than they would without.",
    model: "Model",
    own: "Karat’s own",
    answers: "Answers to its suggestions",
    agreed: "Of the class it suggested",
  },
};
