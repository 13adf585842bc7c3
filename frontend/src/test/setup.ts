import "fake-indexeddb/auto";

// jsdom lays nothing out, so there is no size to follow.
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};
