import { plural } from "./words";

/** Of deleting a project some time after it is finished. */
export const retention = {
  title: "How long it is kept",
  hint: "A project can be deleted by itself some time after it is finished. Admins decide that.",
  keep: "After it is finished",
  forever: "Kept for good",
  days: (count: number) => `Deleted after ${plural(count, "day", "days")}`,
  save: "Change",
  isKept: "This project stays until somebody deletes it.",
  once: (days: number) =>
    `${plural(days, "day", "days")} after it is finished this project is deleted, with its labels and files.`,
  due: (date: string) =>
    `This project will be deleted on ${date}, with its labels and files. Export what you need.`,
  confirm: (days: number) => `Delete it ${plural(days, "day", "days")} after it is finished?`,
  confirmText: (images: string, answers: string) =>
    `It holds ${images} examples and ${answers} answers by now. Whoever manages it sees the day on its pages. Nothing is deleted within a week from today, nor while jobs are at work.`,
  keepTitle: (name: string) => `Keep “${name}” for good?`,
  keepText: "It stays until somebody deletes it.",
};
