import { cleanup, render, screen } from "@testing-library/react";
import { memo } from "react";
import { afterEach, expect, it } from "vitest";
import { t } from "../strings";
import { type Medium, speakOf } from "../strings/medium";
import { PageOfMedium, useWordsOf } from "./MediumContext";

const Kept = memo(function Kept() {
  return <p>{t.pool.detail.next}</p>;
});

function Page({ medium }: { medium: Medium }) {
  useWordsOf(medium);
  return (
    <PageOfMedium medium={medium}>
      <h1>{t.label.imageNumber(7)}</h1>
      <Kept />
    </PageOfMedium>
  );
}

afterEach(() => {
  cleanup();
  speakOf("image");
});

it("has every word of a page about its medium, and keeps none of the page before", () => {
  const { rerender } = render(<Page medium="image" />);
  expect(screen.getByText("Next image")).toBeTruthy();
  rerender(<Page medium="text" />);
  expect(screen.getByRole("heading", { name: "Text 7" })).toBeTruthy();
  expect(screen.getByText("Next text")).toBeTruthy();
});

it("speaks of the page that is shown, not of one that was rendered and left", () => {
  const Left = () => {
    speakOf("image");
    return null;
  };
  render(
    <>
      <Page medium="text" />
      <Left />
    </>,
  );
  expect(t.pool.detail.next).toBe("Next text");
});
