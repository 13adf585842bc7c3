import { locale } from "../language";
import { expected } from "./expected";
import { report } from "./report";
import { plural } from "./words";

const images = (value: number) => plural(value, "image", "images");
const count = (value: number) => value.toLocaleString(locale);

/** How many labels of a whole pool may be wrong, and how that is promised. */
export const guarantee = {
  atMost: (of100: string) => `at most ${of100} of 100`,
  everyLook: (percent: string) => `This is ${percent} sure, however often one looks.`,
  kind: { none: "None of the classes" },
  /** Rounds of which no strategy has chosen the images. */
  strategies: { audit: "Random checks", certificate: "Checks for a guarantee" } as Record<
    string,
    string
  >,
  setting: {
    share: "Random checks, % of the images",
    shareHint:
      "So many of the images that people are asked about are drawn at random. The model never learns from them, so they tell how right it is. 0: none.",
    learn: "Models also learn from labels that a model gave",
    learnHint:
      "Those of a guarantee that is in use. Off: models learn only from what people say, which is safer: a mistake of a model is not learned again.",
  },
  draws: {
    title: "How right is the model?",
    hint: "Checked on images drawn at random, which the model never learns from.",
    says: (right: string, low: string, high: string) =>
      `Of 100 images that nobody has looked at, the model would label about ${right} rightly: at least ${low}, at most ${high}.`,
    all: "All that is left",
    inside: "Of your classes",
    ood: "None of the classes",
    evaluation: "Evaluation images",
    evaluationHint: "Images that you brought, with their labels. They need not be like the pool.",
    right: "Labeled rightly",
    answeredOf: (value: number) => plural(value, "check", "checks"),
    oodShare: (share: string) =>
      `Of what is left, ${share} is expected to be of none of the classes.`,
    basis: (answered: number, round: number) =>
      `From ${plural(answered, "answered check", "answered checks")}, when round ${round} closed.`,
    of: (value: number) => `It speaks of ${images(value)} that nobody chose to ask about.`,
    beyond: (value: number) => `Of ${images(value)} that came later it says nothing yet.`,
    past: (value: number) =>
      `${plural(value, "earlier check counts", "earlier checks count")} no more: too many of the images that could have been checked were labeled by hand or by a model since, or held out.`,
    unsure: (value: number) =>
      `${count(value)} of them ${value === 1 ? "was" : "were"} answered “unsure”, which counts as labeled wrongly.`,
    waiting: (value: number) => `${plural(value, "check waits", "checks wait")} for an answer.`,
    people: (pairs: number, disagreed: number, wrong: string, high: string) =>
      `Twice, people were asked about the same image: in ${count(disagreed)} of ${plural(pairs, "case", "cases")} they said different things. So about ${wrong} of 100 verdicts are wrong, at most ${high}.`,
    few: (answered: number, needed: number) =>
      `${plural(answered, "answered check is", "answered checks are")} too few to tell; ${plural(needed, "is", "are")} needed.`,
    none: "Nothing has been checked at random yet.",
    later: "The share is told when the round closes.",
    every: (oneIn: string) =>
      `About one in ${oneIn} of the images that people are asked about is such a check. Nobody sees which.`,
    off: "The settings ask for no random checks.",
    ask: "Check more at random",
    askHint: "Some hundred tell the share to within a few of 100.",
    number: "How many images",
    asked: (value: number, round: number) =>
      `${images(value)} drawn at random ${value === 1 ? "goes" : "go"} to people in round ${round}.`,
    perClass: "Class by class",
  },
  start: {
    title: "Have the rest labeled, with a guarantee",
    hint: "The model labels what nobody has looked at. People check some of every group of images, drawn at random, until it is known how many labels are wrong. What cannot be promised is left to people.",
    wrong: "At most so many of 100 wrong",
    other: "Other",
    otherWrong: "So many of 100",
    confidence: "How sure",
    promise: (of100: string) => `At most ${of100} of 100 labels of the model will be wrong.`,
    odds: (kept: string, of: string) =>
      `Of ${of} such guarantees, ${kept} are kept: the checks are drawn by chance, and chance may mislead.`,
    more: "More choices",
    scope: "It holds for",
    scopes: { all: "All labels together", class: "Each class by itself" },
    scopeHints: {
      all: "Needs the fewest checks. A rare class may be wrong more often than promised, if others are less so.",
      class:
        "For each class, and for none of the classes, as many may be wrong. Needs more checks.",
    },
    missed: "Of 100 labeled “none of the classes”, so many may be of a class",
    missedHint: "Images of yours that would be put aside. Empty: as many as above.",
    budget: "At most so many answers",
    budgetHint:
      "Groups that would need more are left to people. Empty: as many as it takes, as long as checking is less work than labeling.",
    overlap: "People for each check",
    overlapHint:
      "With two, it is known how often people are wrong, and the guarantee takes it into account.",
    action: "Begin",
    measure: "What would it take?",
    measuring: "Measuring …",
    expected,
    nothing: "No image is left that nobody has looked at.",
    open: "One is under way. Another can be begun when it is ready, or given up.",
    earlier: "Guarantees",
    showEarlier: "Show earlier ones",
    line: (of100: string, sure: string) => `At most ${of100} of 100 wrong, ${sure} sure`,
    stalled: "It does not go on for now; its page says why.",
    lineStates: {
      scoring: () => "The model is going through the images.",
      asking: (answered: number, more: number | null, waiting: number) => {
        const expected = more === null ? "" : `, about ${count(more)} more expected`;
        const now = waiting === 0 ? "None waits" : plural(waiting, "waits", "wait");
        return `${plural(answered, "check", "checks")} answered${expected}. ${now} for an answer now.`;
      },
      ready: (auto: number) => `${images(auto)} can be labeled.`,
      applying: () => "The model’s labels are being given.",
      applied: (auto: number) => `${images(auto)} labeled by the model.`,
      revoking: () => "Its labels are being taken back.",
      revoked: () => "Its labels count no longer.",
      refused: () => "Nothing was labeled.",
    },
  },
  states: {
    scoring: "Preparing",
    asking: "Being checked",
    ready: "Ready",
    applying: "Labeling",
    applied: "In use",
    revoking: "Taking back",
    revoked: "Taken back",
    refused: "Not possible",
  },
  page: {
    stalled: "It does not go on for now.",
    back: "Overview",
    title: (id: number) => `Guarantee ${id}`,
    promise: (of100: string, sure: string) =>
      `At most ${of100} of 100 labels of the model wrong, ${sure} sure.`,
    begun: (when: string, who: string | null) =>
      who === null ? `Begun ${when}` : `Begun ${when} by ${who}`,
    scopeClass: "In each class, and among none of the classes.",
    fromJob: (what: string) =>
      `The images are in groups. ${what} tells how the checks go, and what can be labeled.`,
    scoring: "The model is going through the images",
    scoringHint:
      "It says of each what it shows, and how sure it is of that. Then it makes groups of them.",
    toJob: "Show the job",
    asking: "People are checking",
    answers: "Checks answered",
    ofAbout: (answered: number, about: number) => `${count(answered)} of about ${count(about)}`,
    only: (answered: number) => count(answered),
    where: (round: number) =>
      `The checks are among the images of round ${round}. Nothing marks them; predictions that were imported are not shown with them.`,
    waiting: (value: number) =>
      value === 0
        ? "None waits for an answer now: the next come when they are drawn and a round is open."
        : `${plural(value, "waits", "wait")} for an answer now.`,
    closing: "A round is being closed. It goes on when that is done:",
    label: "Label",
    stop: "Give up",
    stopTitle: "Give up this guarantee?",
    stopText:
      "No further check is asked for. Answers that people gave stay, as labels of their images.",
    labeling: "The labels are being given",
    labelingHint: "A part at a time; people can go on labeling meanwhile.",
    takingBack: "The labels are being taken back",
    done: "Done",
    ready: (auto: number) => `The guarantee holds for ${images(auto)}`,
    readyHint: "Nothing is labeled yet. Look at what would be, then apply it.",
    apply: "Label them …",
    applied: (auto: number) =>
      `${images(auto)} ${auto === 1 ? "has a label" : "have labels"} of the model`,
    appliedHint:
      "They never count as answers of people, and whatever somebody says of an image takes the place of its label.",
    showThem: "Show them",
    revoke: "Take back",
    revokeTitle: (auto: number) => `Take ${plural(auto, "label", "labels")} of the model back?`,
    revokeText:
      "Their images are unlabeled again, but for those that somebody has judged since. What people said stays as it is.",
    refused: "It was not possible",
    revoked: "It was taken back: its labels count no longer.",
    outcome: "What becomes of the images",
    outcomeHint: (value: number) => `${images(value)} that nobody had looked at when it began`,
    parts: {
      auto: "Labeled by the model",
      looked: "Looked at by people",
      open: "Being checked",
      people: "Left to people",
    },
    bound: "Wrong labels of the model",
    boundHint: (wrong: number, of: number) => `${count(wrong)} of ${count(of)}`,
    missed: "Of a class after all",
    missedHint: "Among what the model labels as none of the classes",
    expected: "Checks to come",
    about: (value: string) => `about ${value}`,
    human: (pairs: number, disagreed: number, high: string) =>
      `People judged the same image ${plural(pairs, "time", "times")} and said different things ${plural(disagreed, "time", "times")}. So at most ${high} of 100 verdicts are wrong, and the guarantee allows for that.`,
    report: "Report",
    reportHint:
      "What was looked at, what is promised, and on what that rests: to print, or to hand on.",
    toReport: "Read it",
    json: "As JSON",
  },
  lots: {
    title: "Groups",
    hint: "Images of which the model says the same and is about as sure. The surest are tried first.",
    columns: {
      group: "The model says",
      images: "Images",
      checked: "Checked",
      wrong: "Wrong",
      bound: "Wrong of 100, at most",
      state: "State",
    },
    states: { passed: "Holds", people: "Left to people", open: "Being checked" },
    band: (low: string, high: string) => `${low}–${high} % sure`,
    unsure: (value: number) => `${count(value)} unsure`,
    together:
      "What may be wrong is told of all groups of a class that hold, together: of a single group more may be wrong.",
    target: (of100: string) => `The line is at ${of100}: what was asked for.`,
  },
  applying: {
    title: (auto: number) => `Label ${images(auto)}?`,
    text: "The model’s labels are marked as such in the pool and in exports. They are not learned from, count as nobody’s answers, and can all be taken back at once.",
    class: "Class",
    images: "Images",
    left: (people: number) => `${images(people)} ${people === 1 ? "is" : "are"} left to people.`,
    action: "Label",
  },
  report,
};
