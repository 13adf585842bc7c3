/** What one may want to know of a project. */
export const questions = {
  title: "What do you want to know?",
  hint: "Choose a question. What answers it, and what it found, opens below.",
  ask: {
    relabel: {
      title: "Which labels are wrong?",
      text: "Finds labels that are probably wrong and says how many; you accept or reject each.",
    },
    prune: {
      title: "What should I train on?",
      text: "Finds the part of the labels that is good to train on. Nothing is deleted.",
    },
    certify: {
      title: "Can the rest be labeled for me?",
      text: "Labels what nobody has looked at, and promises how many of the labels are wrong at most. People check some of them.",
    },
    localize: {
      title: "How well are things found?",
      text: "Trains on images of one thing each, as they are and against images of none of the classes, and shows where each looks.",
    },
    taufe: {
      title: "Do images of none of the classes help?",
      text: "Trains with such images in three ways, and compares.",
    },
    select_instructions: {
      title: "Which instructions are worth tuning on?",
      text: "Puts rows that are alike together, lets a judge rank them and people decide where it is unsure, and keeps the best of each.",
    },
  },
  noImages: "All of them need images with labels, and the pool is empty.",
  noLabels: "All of them need labels: label some images, or import labels.",
};
