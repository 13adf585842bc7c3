import { Marked } from "marked";
import type { Plugin } from "vite";

const PAGE = /^(model|informativeness|purity|strategy|job)-(\w+)\.md(#[\w-]+)?$/;

/** An anchor as the usual Markdown hosts make it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

const marked = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      const inner = this.parser.parseInline(tokens);
      return `<h${depth} id="${anchorOf(text)}">${inner}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      const inner = this.parser.parseInline(tokens);
      const [, kind, name, anchor = ""] = PAGE.exec(href) ?? [];
      if (kind) return `<a href="/algorithms/${kind}/${name}${anchor}">${inner}</a>`;
      // What else the documentation has is no part of the app.
      return href.startsWith("https://") ? `<a href="${href}">${inner}</a>` : inner;
    },
    table(token) {
      const cells = (row: typeof token.header, tag: string) =>
        row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join("");
      const rows = token.rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("");
      return `<div class="scroll"><table><thead><tr>${cells(token.header, "th")}</tr></thead><tbody>${rows}</tbody></table></div>`;
    },
  },
});

/** Turns pages of the documentation into HTML when the app is built. */
export const markdown = (): Plugin => ({
  name: "markdown",
  transform(text, id) {
    if (!id.endsWith(".md")) return null;
    const html = marked.parse(text, { async: false });
    return { code: `export default ${JSON.stringify(html)};`, map: null, moduleType: "js" };
  },
});
