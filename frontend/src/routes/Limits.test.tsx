import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it } from "vitest";
import openapi from "../../openapi.json";
import { NewTokenDialog } from "../features/account/NewTokenDialog";
import { AddUserDialog } from "../features/admin/AddUserDialog";
import { t } from "../strings";

afterEach(cleanup);

const { UserCreate, TokenCreate } = openapi.components.schemas;
const nothing = () => {};

const user = () => <AddUserDialog onClose={nothing} />;
const token = () => <NewTokenDialog days={90} most={null} onClose={nothing} onCreated={nothing} />;

it.each([
  [t.people.name, UserCreate.properties.name.maxLength, user],
  [t.people.email, UserCreate.properties.email.maxLength, user],
  [t.people.tokenName, TokenCreate.properties.name.maxLength, token],
])("takes as %s no more than the server does: %i", (label, most, dialog) => {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>{dialog()}</MemoryRouter>
    </QueryClientProvider>,
  );
  expect(screen.getByLabelText<HTMLInputElement>(label).maxLength).toBe(most);
});
