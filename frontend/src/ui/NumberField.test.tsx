import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { Button } from "./Button";
import { Dialog, DialogActions } from "./Dialog";
import { NumberField } from "./NumberField";

afterEach(cleanup);

const go = vi.fn<(value: number | null) => void>();

function Page({ first, nullable = false }: { first: number | null; nullable?: boolean }) {
  const [value, setValue] = useState(first);
  return (
    <Dialog title="How many">
      <NumberField
        {...{ label: "Images", min: 8, max: 512, integer: true, nullable, value }}
        onChange={setValue}
      />
      <output>{String(value)}</output>
      <DialogActions>
        <Button>Cancel</Button>
        <Button kind="primary" onClick={() => go(value)}>
          Go
        </Button>
      </DialogActions>
    </Dialog>
  );
}

const CASES: [number | null, string, string][] = [
  [100, "600", "100"],
  [100, "5", "100"],
  [100, "60.5", "100"],
  [null, "600", "null"],
  [null, "6000", "null"],
];

it.each(CASES)(
  "is as before, %s, while %s stands in it, and nothing goes ahead",
  async (first, typed, kept) => {
    go.mockReset();
    render(
      <QueryClientProvider client={new QueryClient()}>
        <Page first={first} nullable={first === null} />
      </QueryClientProvider>,
    );
    const field = screen.getByLabelText("Images");
    const user = userEvent.setup();
    await user.clear(field);
    await user.type(field, typed);
    expect(screen.getByRole("status").textContent).toBe(kept);
    await user.click(screen.getByRole("button", { name: "Go" }));
    expect(go).not.toHaveBeenCalled();
    expect(document.activeElement).toBe(field);
    await user.clear(field);
    await user.type(field, "64");
    await user.click(screen.getByRole("button", { name: "Go" }));
    expect(go.mock.calls).toEqual([[64]]);
  },
);
