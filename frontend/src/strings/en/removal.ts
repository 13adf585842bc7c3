/** Of deleting a project. */
export const removal = {
  pause: "Pause the project first; a running one is not deleted.",
  title: "Delete project",
  hint: "Deletes the project with its images, answers and models. Export first what is still wanted.",
  action: "Delete project",
  confirm: (name: string) => `Delete “${name}” for good?`,
  text: "Images, answers, models and exports are deleted. This cannot be undone.",
};
