const plural = (count: number, one: string, many: string) =>
  `${count.toLocaleString()} ${count === 1 ? one : many}`;

export const label = {
  title: "Label",
  ood: "Out of distribution",
  oodHint: "None of the classes",
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
    `${today.toLocaleString()} today, ${total.toLocaleString()} in total`,
  today: "Today",
  total: "In total",
  left: (count: number) => `${plural(count, "image", "images")} left`,
  unsent: (count: number) => `${plural(count, "answer", "answers")} waiting to be sent`,
  rejected: (count: number) => `${plural(count, "answer", "answers")} not accepted`,
  rejectedTitle: "Answers that were not accepted",
  rejectedText:
    "The server refused these answers for good. They are kept here until you dismiss them.",
  rejectedDismiss: "Dismiss all",
  notDurable:
    "This browser does not let Karat store answers. Keep the page open until they are sent.",
  stuckTitle: "Your answers are waiting to be sent",
  stuckText:
    "The server does not take them at the moment. They are kept on this device, and new images come up as soon as they have arrived.",
  smooth: "Smooth",
  waiting: {
    training: {
      title: "The model is learning from your answers",
      text: "The next images come up here by themselves. You may leave this page open.",
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
    nothing: {
      title: "Nothing to judge yet",
      text: "New images come up here by themselves.",
    },
    failed: {
      title: "The training has run into a problem",
      text: "Whoever runs this project can try it again. Your answers are safe, and this page will notice when it goes on.",
    },
    draft: {
      title: "This project has not started",
      text: "Images come up here as soon as it is started.",
    },
  },
  undoLast: "Change the last answer",
  helpTitle: "Keys",
  helpRows: {
    class: "Give the class with this key",
    ood: "Out of distribution: none of the classes",
    unsure: "Unsure: you cannot tell",
    skip: "Skip: leave it for later",
    undo: "Undo: back to the image before",
    keep: "Keep the verdict of an image you went back to",
    zoom: "Draw small images as pixels or smoothly",
    help: "Show or hide this",
  },
};
