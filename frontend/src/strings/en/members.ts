export const members = {
  title: "Members",
  hint: "Annotators see only projects they are a member of.",
  add: "Add a member",
  choose: "Choose a user",
  remove: (name: string) => `Remove ${name}`,
};
