import ts from "typescript";
import { expect, it } from "vitest";

/** Attributes that are read or spoken. */
const SPOKEN = new Set([
  "alt",
  "aria-description",
  "aria-label",
  "aria-placeholder",
  "aria-roledescription",
  "aria-valuetext",
  "error",
  "hint",
  "label",
  "placeholder",
  "text",
  "title",
]);

const WORD = /\p{L}{2,}/u;

const sources = import.meta.glob<string>(["../**/*.tsx", "!../**/*.test.*"], {
  query: "?raw",
  import: "default",
  eager: true,
});

/** What is shown to people and does not come from the catalogue. */
function literalsOf(path: string, text: string): string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: string[] = [];
  const words = (node: ts.Node | undefined): void => {
    if (!node) return;
    if (
      ts.isJsxText(node) ||
      ts.isStringLiteral(node) ||
      ts.isNoSubstitutionTemplateLiteral(node)
    ) {
      if (WORD.test(node.text)) found.push(node.text.trim());
    } else if (ts.isTemplateExpression(node)) {
      for (const part of [node.head, ...node.templateSpans.map(({ literal }) => literal)]) {
        if (WORD.test(part.text)) found.push(part.text.trim());
      }
    } else if (ts.isJsxExpression(node)) words(node.expression);
    else if (ts.isConditionalExpression(node)) {
      words(node.whenTrue);
      words(node.whenFalse);
    }
  };
  const visit = (node: ts.Node): void => {
    // Names of keys are what is printed on them.
    if (ts.isJsxElement(node) && node.openingElement.tagName.getText(file) === "Kbd") return;
    if (ts.isJsxText(node)) words(node);
    if (ts.isJsxExpression(node) && !ts.isJsxAttribute(node.parent)) words(node);
    if (ts.isJsxAttribute(node) && SPOKEN.has(node.name.getText(file))) words(node.initializer);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

it("sees text, spoken attributes and templates", () => {
  const text =
    "<p title='Title' className='quiet' aria-label={`Row`}>Text {done ? 'Done' : t.no}</p>";
  expect(literalsOf("it.tsx", `const it = ${text};`)).toEqual(["Title", "Row", "Text", "Done"]);
});

it.each(Object.entries(sources))("%s takes its text from the catalogue", (path, text) => {
  expect(literalsOf(path, text)).toEqual([]);
});
