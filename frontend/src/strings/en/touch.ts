/** What fingers do, where there are no keys. */
export const touch = {
  title: "Help",
  before: "Tap another to change it.",
  label: [
    "Tap what it is. “None of the classes” is a verdict like any other, and helps.",
    "Unsure: you cannot tell. Skip: leave it for later.",
    "Undo goes back. Any of the small ones below can be tapped to change what you said.",
    "Guide: what belongs to each class, with examples.",
    "Pause: leave yours to others for a while.",
  ],
  look: {
    image: "Two fingers enlarge the image; then one finger moves it.",
    text: "A long text scrolls; + and − change the size of its letters.",
  },
  grid: [
    "Tap images to choose them, then say what they are.",
    "Hold an image to see it larger.",
    "“All are …” says of the rest of a group what its heading says.",
    "Undo takes back everything that was judged last.",
  ],
  review: [
    "Tap the label that is right: one of the two, or another.",
    "Undo goes back to the one before, to decide again.",
  ],
};
