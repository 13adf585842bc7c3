/** Of taking out who somebody is. */
export const erasure = {
  action: "Erase",
  actionOf: (name: string) => `Erase ${name}`,
  erased: "Erased",
  title: (name: string) => `Erase who “${name}” is?`,
  text: (id: number) =>
    `The name, the email, the API tokens and the memberships go for good, and so do the addresses and browsers in the audit log. What was labeled stays under the number ${id}. Nothing brings the rest back, and backups made before still hold it.`,
  before: "Before that you can hand over what is held of them:",
  held: "Download all of it",
  confirm: "Erase for good",
};
