export const members = {
  title: "Members",
  hint: "Who sees the project, and what they may do in it.",
  add: "Add a member",
  choose: "Choose a user",
  remove: (name: string) => `Remove ${name}`,
  role: "As",
  roleOf: (name: string) => `Role of ${name} in this project`,
  roles: { annotator: "Annotator", reviewer: "Reviewer", manager: "Manager" },
  roleHints: {
    annotator: "Labels, and decides reviews.",
    reviewer: "Sees the pool, the rounds and all results as well, and changes no settings.",
    manager: "Changes everything about the project, and lets others in.",
  },
};
