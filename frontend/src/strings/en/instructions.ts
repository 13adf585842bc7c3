import { plural } from "./words";

const ordinal = (place: number): string => {
  const last = place % 10;
  const isTeen = Math.floor(place / 10) % 10 === 1;
  const ending = isTeen ? "th" : ({ 1: "st", 2: "nd", 3: "rd" }[last] ?? "th");
  return `${place}${ending}`;
};

/** Examples for an assistant to learn from, put in order by people. */
export const instructions = {
  said: (ranked: number, wrong: number) =>
    wrong === 0 ? `${ranked} in order` : `${ranked} in order, ${wrong} wrong`,
  ranked: "In order",
  none: "None of it belongs here",
  noneShort: "None",
  noneText: "Not one of them belongs into this data at all.",
  stage: (count: number) => `${plural(count, "example", "examples")} to put in order`,
  example: (number: number) => `Example ${number}`,
  place: ordinal,
  notYet: "No place yet",
  wrong: "Wrong",
  wrongShort: "Wrong",
  wrongText: "Wrong or harmful: an assistant must not learn from it. It gets no place.",
  markWrong: (number: number) => `Example ${number} is wrong or harmful`,
  unfold: "Show all",
  fold: "Fold",
  parts: {
    system: "Background",
    instruction: "Instruction",
    input: "Input",
    response: "Answer",
    another: (number: number) => `Answer ${number}`,
  },
  roles: { system: "Background", user: "Person", assistant: "Assistant" },
  hint: "Press the number of the best one, then the next best. You can also drag, or click them in order.",
  hintTouch: "Tap the best one first, then the next best.",
  notices: {
    nothing: "Nothing is in order yet. Press the number of the best one first.",
    no_tie: "A tie needs two. Give two of them a place, then press T.",
    open: (count: number) => `${count} have no place yet. Enter again puts them last, all tied.`,
    blaming: "Now the number of what is wrong or harmful. X again, or Escape, and it is nothing.",
    last: "One is left: it comes last. Enter sends.",
    ready: "All have their place. Enter sends.",
    left: (count: number) => `${count} left.`,
  },
  noticesTouch: {
    nothing: "Nothing is in order yet. Tap the best one first.",
    no_tie: "A tie needs two. Give two of them a place, then tap “Tie”.",
    open: (count: number) => `${count} have no place yet. Send again to put them last, all tied.`,
    blaming: "Now tap what is wrong or harmful.",
    last: "One is left: it comes last. You can send the order.",
    ready: "All have their place. Send the order.",
    left: (count: number) => `${count} left.`,
  },
  moreBelow: (count: number) => (count === 0 ? "More below" : `${count} more below`),
  guide: {
    title: "How to put them in order",
    key: "What counts in an order here",
    untold:
      "Nothing was written down for this project. Put first what an assistant should learn from most: right, complete, and what was asked for.",
    none: "For groups of which not one example belongs into this data.",
  },
  order: "Your order",
  noOrder: "Best first",
  wrongOnes: "Wrong",
  noneWrong: "None",
  takeBack: (number: number) => `Take example ${number} back`,
  up: (number: number) => `Example ${number}: better`,
  down: (number: number) => `Example ${number}: worse`,
  tools: "Tools",
  tie: "Tie",
  wrongNext: "Wrong…",
  stepBack: "Step back",
  send: "Send the order",
  sendWith: (left: number) => `Send, the other ${left} last`,
  nothingToSend: "No order yet",
  back: "Back",
  sides: {
    place: (place: number) => `${ordinal(place)}:`,
    other: "Neither: another order",
    otherHint: "Press the numbers in the right order, then Enter.",
    otherTouch: "Tap the examples in the right order, then send it.",
    intro: "Take one of the two orders, or press the numbers for a third one.",
    introTouch: "Tap one of the two orders, or the examples for a third one.",
    left: "The order on the left",
    right: "The order on the right",
  },
  keys: {
    press: "The best one, the next best, and so on; again takes it back",
    tie: "The last one is as good as the one before it; again parts them",
    wrong: "Wrong or harmful; again takes it back",
    send: "Send the order; a single one that is left comes last",
    back: "Take back the last place",
    undo: "Take back a step, and do it again",
    fold: "Show all of a long one, or fold it",
    foldAll: "Show all of all, or fold them",
    scroll: "Read on",
    mono: "Letters of one width",
    drag: "Drag an example by its head to its place, onto another for a tie, or to “Wrong”",
  },
  touch: [
    "Tap the examples in order of preference. A second tap takes one back.",
    "“Wrong” on an example: wrong or harmful.",
    "“Tie” puts the last one level with the one before it.",
    "“Show all” opens a long one.",
  ],
};
