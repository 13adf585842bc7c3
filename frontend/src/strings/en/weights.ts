import { plural } from "./words";

export const weights = {
  /** Where they are added, as the server says it in brackets. */
  place: "Admin, Weights",
  hint: "Weights of networks that projects start from instead of published ones: safetensors files of any architecture of timm or torchvision. They need no download, and stay as they are.",
  add: "Add weights",
  table: "Weights",
  empty: "No weights yet",
  emptyText:
    "Packaged and published networks need none of these. Add a file where workers reach no hub, or for a network of your own.",
  name: "Name",
  architecture: "Architecture",
  state: "Check",
  states: { checking: "Being checked", ready: "Ready", refused: "Does not fit", lost: "Lost" },
  lost: "Their file is not on the server any more, or damaged. An admin puts it back by uploading the same file once more, under any name.",
  aside: (count: number) =>
    `${plural(count, "tensor", "tensors")} of the head left aside: projects train their own.`,
  size: "Size",
  added: "Added",
  usedBy: "Used by",
  nobody: "No project",
  digest: "SHA-256",
  fileIs: (filename: string, sha256: string) => `${filename}, SHA-256 ${sha256}`,
  remove: "Delete",
  removeOf: (name: string) => `Delete ${name}`,
  removeTitle: (name: string) => `Delete the weights “${name}”?`,
  removeText:
    "The file goes. Models and embeddings that were computed with it stay as they are. It cannot be deleted while a project starts from it.",
  file: "File",
  fileHint:
    "A .safetensors file. Pickles (.pth, .bin) can run code and are not read; the message says how to convert one.",
  library: "Library",
  architectureHint:
    "As the library calls it, such as resnet18 or convnext_tiny; of open_clip ViT-B-32, by which pools are searched by words. A worker checks that the tensors are those of this network.",
  nameHint: "What projects choose it by; that of the file if left empty.",
  send: "Upload",
  sent: (sent: string, total: string) => `${sent} of ${total}`,
  published: "Published weights",
  choose: "Weights that an admin has uploaded for this architecture, or the published ones.",
  ofHub: "Those of the hub",
  chooseCaptions:
    "Weights of open_clip that an admin has uploaded, as for the search by words, or those of the hub.",
  noneOfCaptions:
    "Those of the hub. Of open_clip none are uploaded; an admin adds them under Admin, Weights.",
  noneFor: (architecture: string) =>
    `The published ones. For ${architecture} none are uploaded; an admin adds them under Admin, Weights.`,
};
