import { expect, it } from "vitest";
import { inWords } from "./pages";

const page =
  '<h1 id="ours">Ours</h1><p>How it works.</p><table><tr><th>name</th></tr>' +
  "<tr><td><code>l2</code></td><td>The head's.</td></tr></table>";

it("puts a summary below the title and words into the table, and leaves the text", () => {
  const words = { Ours: "우리 방법", "The head's.": "헤드의 값입니다." };
  const said = new DOMParser().parseFromString(inWords(page, words, "요약."), "text/html");
  expect(said.querySelector("h1")?.outerHTML).toContain('id="ours"');
  expect(said.querySelector("h1")?.textContent).toBe("우리 방법");
  const [lead, , text] = said.querySelectorAll("p");
  expect(lead?.textContent).toBe("요약.");
  expect(lead?.lang).not.toBe("");
  expect(text?.outerHTML).toBe("<p>How it works.</p>");
  expect([...said.querySelectorAll("td")].map((cell) => cell.textContent)).toEqual([
    "l2",
    "헤드의 값입니다.",
  ]);
});
