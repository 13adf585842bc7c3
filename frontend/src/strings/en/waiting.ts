import { plural } from "./words";

/** Why an annotator has no image just now. */
export const waiting = {
  training: {
    title: "The model is learning from your verdicts",
    text: "The next images come up here by themselves. You may leave this page open.",
  },
  disk: {
    title: "The next images have to wait",
    text: "The server has too little room to choose them. Whoever runs it knows; your verdicts are safe, and this page will notice when it goes on.",
  },
  turn: {
    title: "The next images have to wait",
    text: "They come up here by themselves. You may leave this page open.",
  },
  first: {
    title: "The first images are being chosen",
    text: "They come up here by themselves, usually within a minute.",
  },
  paused: {
    title: "This project is paused",
    text: "Labeling goes on as soon as someone resumes it. This page will notice.",
  },
  finished: {
    title: "This project is finished",
    text: "Every round is done. Thank you for your work.",
    next: "To the project",
  },
  checks: {
    training: {
      title: "Your answers are being counted",
      text: "These images were there to check the labels. If more are needed, they come up here by themselves.",
    },
    others: {
      title: "That is all for now",
      text: "Other checks may be with your colleagues. If there are more, they come up here by themselves.",
    },
    finished: {
      title: "The checks are done",
      text: "All images that were there to check the labels have an answer. Thank you: you can close this page.",
    },
  },
  others: {
    title: "The rest is with your colleagues",
    text: "All remaining images of this round are being judged by others. New ones come up here by themselves.",
  },
  elsewhere: {
    title: "You have images open elsewhere",
    text: "Images of this round are in another tab or on another device of yours. Go on there, or take them here.",
  },
  takeOver: "Take them here",
  nothing: {
    title: "Looking for your next images",
    text: "They come up here by themselves.",
  },
  failed: {
    title: "What comes next could not be prepared",
    text: "No new images come up until it is tried again. Your verdicts are safe, and this page goes on by itself after that.",
    last: "You can go on with the images you have. After them no new ones come up until it is tried again.",
    open: "You can go on with the images you have. What comes after them is prepared then, and may fail again until this is put right.",
    tell: (names: string) => `Tell ${names}, who can do that.`,
    tellAny: "Tell whoever runs this project, who can do that.",
    why: "What went wrong, and what to do",
    stopped: "Somebody has stopped it.",
    remedy:
      "Try it again. If it fails again, choose another model in the settings, or read the log of the job.",
  },
  draft: {
    title: "This project has not started",
    text: "Images come up here as soon as it is started.",
  },
  /** What the job of a round is at; whatever else it does is `other`. */
  steps: {
    snapshot: "Gathering your verdicts",
    mend: "Reading the images again",
    embed: "Looking at the images",
    meta_train: "Learning from earlier rounds",
    train: "Learning from your verdicts",
    evaluate: "Testing what was learned",
    score: "Looking through all images",
    select: "Choosing the next images",
    publish: "Getting them ready",
    other: "At work",
  } as Record<string, string>,
  left: (about: string) => `${about} left`,
  phase: (at: number, of: number) => `step ${at} of ${of}`,
  next: (round: number, budget: number) =>
    `Then the images of round ${round} follow, which has room for ${plural(budget, "verdict", "verdicts")} in all.`,
  mine: {
    title: (round: number) => `Your work in round ${round}`,
    answers: "verdicts",
    inside: {
      classification: "of a class",
      boxes: "looked through",
      instructions: "groups ranked",
    },
    ood: {
      classification: "none of the classes",
      boxes: "wrong kind of image",
      instructions: "not of this data",
    },
    seconds: "median time",
  },
};
