import "fake-indexeddb/auto";
import { configure } from "@testing-library/dom";
import { IDBFactory } from "fake-indexeddb";
import { afterAll, vi } from "vitest";

// What is expected comes late on a busy machine; the default is a second.
configure({ asyncUtilTimeout: 10_000 });

// jsdom lays nothing out, so there is no size to follow.
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};

// jsdom has dialogs, and can neither open nor close them.
if (typeof HTMLDialogElement !== "undefined") {
  HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
    this.open = true;
  };
  HTMLDialogElement.prototype.close ??= function (this: HTMLDialogElement) {
    this.open = false;
  };
}

// Files share a browser, one after the other.
afterAll(() => {
  // Modules keep the language, the medium of the page, what is being sent.
  vi.resetModules();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  globalThis.indexedDB = new IDBFactory();
  if (typeof window === "undefined") return;
  localStorage.clear();
  sessionStorage.clear();
  document.body.replaceChildren();
});
