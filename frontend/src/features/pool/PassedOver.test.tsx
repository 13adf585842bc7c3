import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { MemoryRouter, useLocation } from "react-router";
import { afterEach, expect, it } from "vitest";
import { t } from "../../strings";
import { PassedOver } from "./PassedOver";

const Address = () => <output>{useLocation().search}</output>;

afterEach(cleanup);

it("says of a filter in the address that there is none, and drops it", () => {
  render(
    <MemoryRouter initialEntries={["/?state=labeled_in&verdict=ood&split=foo"]}>
      <PassedOver />
      <Address />
    </MemoryRouter>,
  );
  expect(screen.getByRole("alert").textContent).toContain("state=labeled_in, split=foo");
  fireEvent.click(screen.getByRole("button", { name: t.pool.dismiss }));
  expect(screen.queryByRole("alert")).toBeNull();
  expect(screen.getByRole("status").textContent).toBe("?verdict=ood");
});
