import { locale } from "../language";
import { plural } from "./words";

export const label = {
  title: "Label",
  ood: "None of the classes",
  skip: "Skip",
  unsure: "Unsure",
  undo: "Undo",
  keep: "Keep",
  help: "Help",
  guidelines: "Guidelines",
  noGuidelines: "No guidelines were written for this project.",
  verdicts: "Verdict",
  classes: "Classes",
  imageNumber: (id: number) => `Image ${id}`,
  imageAlt: (name: string) => (name ? `Image to judge: ${name}` : "Image to judge"),
  imageFailed: "This image could not be loaded. Skip it, or try again.",
  before: (verdict: string) => `You said: ${verdict}`,
  beforeHint: "Choose again to change it, or keep it with Enter.",
  last: (verdict: string) => `Last: ${verdict}`,
  given: (verdict: string) => `${verdict}. Next image.`,
  progress: "This round",
  mine: (today: number, total: number) =>
    `${today.toLocaleString(locale)} today, ${total.toLocaleString(locale)} in total`,
  today: "Today",
  total: "In total",
  left: (count: number) => `${plural(count, "image", "images")} left`,
  unsent: (count: number) => `${plural(count, "verdict", "verdicts")} waiting to be sent`,
  rejected: (count: number) => `${plural(count, "verdict", "verdicts")} not accepted`,
  rejectedTitle: "Verdicts that were not accepted",
  rejectedText:
    "The server refused these verdicts for good. They are kept here until you dismiss them.",
  rejectedDismiss: "Dismiss all",
  notDurable:
    "This browser does not let Karat store verdicts. Keep the page open until they are sent.",
  stuckTitle: "Your verdicts are waiting to be sent",
  stuckText:
    "The server does not take them at the moment. They are kept on this device, and new images come up as soon as they have arrived.",
  refused: {
    class_name_moved:
      "The class you chose was renamed, and its old name belongs to another class now. The image is shown again.",
    unknown_class: "The class you chose was removed. The image is shown again.",
  } as Record<string, string>,
  smooth: "Smooth",
  strip: {
    title: "Your last verdicts",
    none: "Your last verdicts will be listed here, to change them.",
    change: (verdict: string) => `${verdict}: open to change`,
    short: { ood: "None", unsure: "Unsure", skip: "Skip" } as Record<string, string>,
  },
  zoom: {
    title: "Zoom",
    in: "Enlarge",
    out: "Reduce",
    reset: (percent: number) => `${percent} %: show the whole image`,
  },
  pause: {
    open: "Pause",
    asked: {
      title: "Paused",
      text: "Others can take your images, and the clock has stopped. Press any key to go on.",
    },
    away: {
      title: "Paused, because nobody was here",
      text: "Others can take your images meanwhile. Your verdicts are kept, and you go on with the next key.",
    },
  },
  guide: {
    open: "Guide",
    title: "What belongs where",
    ood: "Everything that is none of the classes. These were said to be.",
    none: "No examples yet.",
    add: "Show this image as an example",
    addTo: (name: string) => `Show this image as an example of ${name}`,
    pin: (id: number) => `Always show image ${id}`,
    unpin: (id: number) => `No longer always show image ${id}`,
  },
  news: {
    dismiss: "Close this notice",
    classes: (changes: string[]) => `Classes changed: ${changes.join("; ")}.`,
    renamed: (from: string, to: string, key: string | null) =>
      `${from} is now ${to}${key ? ` (key ${key})` : ""}`,
    added: (name: string, key: string | null) => `${name} is new${key ? ` (key ${key})` : ""}`,
    removed: (name: string) => `${name} is gone`,
    key: (name: string, key: string | null) =>
      key ? `${name} has key ${key} now` : `${name} has no key now`,
    order: "they are in another order",
    colour: (name: string) => `${name} has another colour`,
    more: (count: number) => `${plural(count, "more change", "more changes")}`,
    guidelines: "The guidelines have changed.",
    guide: "The guide to the classes has changed: press G.",
    modes: (modes: string[]) => `Modes offered from the next visit on: ${modes.join(", ")}.`,
    name: (name: string) => `The project is called ${name} now.`,
    state: {
      running: "The project goes on.",
      paused: "The project is paused. What you say of the images you have still counts.",
      finished: "The project is finished. What you say of the images you have is kept.",
    },
  },
  find: {
    open: "Find a class",
    title: "Find a class",
    typed: "Name of the class",
    hint: "Enter gives the verdict, arrows choose.",
    none: "No class has that in its name.",
  },
  waiting: {
    training: {
      title: "The model is learning from your verdicts",
      text: "The next images come up here by themselves. You may leave this page open.",
    },
    disk: {
      title: "The next images have to wait",
      text: "The server has too little room to choose them. Whoever runs it knows; your verdicts are safe, and this page will notice when it goes on.",
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
      title: "The training has failed",
      text: "No new images come up until it is tried again. Your verdicts are safe, and this page goes on by itself after that.",
      last: "You can go on with the images you have. After them no new ones come up until it is tried again.",
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
      `Then round ${round} begins, with room for ${budget.toLocaleString(locale)} verdicts.`,
    mine: {
      title: (round: number) => `Your work in round ${round}`,
      answers: "verdicts",
      inside: "of a class",
      ood: "none of the classes",
      seconds: "median time",
    },
  },
  undoLast: "Change the last verdict",
  helpTitle: "Keys",
  helpRows: {
    class: "Give the class with this key",
    ood: "None of the classes",
    unsure: "Unsure: you cannot tell",
    skip: "Skip: leave it for later",
    undo: "Undo: back to the image before",
    keep: "Keep the verdict of an image you went back to",
    step: "Step through your last verdicts",
    find: "Find a class by its name",
    guide: "What belongs to each class, with examples",
    pause: "Pause: leave your images to others for a while",
    enlarge: "Enlarge, reduce, show the whole image",
    pan: "Move an enlarged image",
    zoom: "Draw small images as pixels or smoothly",
    help: "Show or hide this",
  },
};
