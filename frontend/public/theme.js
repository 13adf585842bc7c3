// Before the first paint, so that it does not flash in the other colours.
try {
  document.documentElement.dataset.theme = localStorage.getItem("karat.theme") ?? "";
} catch {}
