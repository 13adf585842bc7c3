import type { HtmlTagDescriptor, Plugin, Rolldown } from "vite";

const link = (rel: string, file: string): HtmlTagDescriptor => ({
  tag: "link",
  attrs: { rel, crossorigin: true, href: `/${file}` },
  injectTo: "head",
});

/** Lets the browser fetch the app while the catalogue of strings that it waits for is on its way. */
export const preload = (module: string): Plugin => ({
  name: "preload",
  apply: "build",
  transformIndexHtml: {
    order: "post",
    handler(html, { bundle = {} }) {
      const chunks = new Map<string, Rolldown.OutputChunk>();
      for (const one of Object.values(bundle)) {
        if (one.type === "chunk") chunks.set(one.fileName, one);
      }
      const app = [...chunks.values()].find((one) => one.facadeModuleId?.endsWith(module));
      if (!app) throw new Error(`${module} is no chunk of its own`);
      const needed = [app.fileName, ...app.imports];
      const styles = new Set(
        needed.flatMap((file) => [...(chunks.get(file)?.viteMetadata?.importedCss ?? [])]),
      );
      return [
        ...needed.map((file) => link("modulepreload", file)),
        ...[...styles].map((file) => link("stylesheet", file)),
      ].filter(({ attrs }) => !html.includes(String(attrs?.href)));
    },
  },
});
