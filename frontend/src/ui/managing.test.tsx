import { cleanup, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it } from "vitest";
import { Button, ButtonLink } from "./Button";
import { Managing } from "./managing";

afterEach(cleanup);

function show(manages: boolean) {
  render(
    <MemoryRouter>
      <Managing value={manages}>
        <Button manages>Close round</Button>
        <ButtonLink manages to="/settings">
          Settings
        </ButtonLink>
        <Button>Find similar</Button>
      </Managing>
    </MemoryRouter>,
  );
  return [...screen.queryAllByRole("button"), ...screen.queryAllByRole("link")].map(
    (one) => one.textContent,
  );
}

it("leaves out what only those may do who manage the project", () => {
  expect(show(false)).toEqual(["Find similar"]);
});

it("shows all of it to those who do", () => {
  expect(show(true)).toEqual(["Close round", "Find similar", "Settings"]);
});
