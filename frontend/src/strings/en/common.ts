export const common = {
  product: "Karat",
  tagline: "Labels from pools that are not pure",
  loading: "Loading…",
  failed: "That did not work.",
  retry: "Try again",
  cancel: "Cancel",
  close: "Close",
  save: "Save",
  saved: "Saved",
  saving: "Saving…",
  delete: "Delete",
  remove: "Remove",
  copy: "Copy",
  copied: "Copied",
  notFound: "There is nothing at this address.",
  toProjects: "To the projects",
  crashed: "This page has failed.",
  reload: "Reload",
  skipToContent: "Skip to the content",
  mainNavigation: "Main",
  projectNavigation: "Project",
  projects: "Projects",
  users: "Users",
  account: "Account",
  signOut: "Sign out",
  accountMenu: (name: string) => `Account of ${name}`,
  never: "never",
  numberNeeded: (min?: number, max?: number) => {
    if (min !== undefined && max !== undefined) return `A number from ${min} to ${max} is needed.`;
    if (min !== undefined) return `A number of at least ${min} is needed.`;
    return "A number is needed.";
  },
};
