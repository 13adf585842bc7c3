import type { ComponentProps } from "react";
import { RouterProvider } from "react-router";

/**
 * The page of the address.
 *
 * Filters, orders and choices live in the address. Were a new address drawn as a transition, as is
 * usual, a box that somebody ticks would show its old state until the whole page has been drawn.
 */
export function Pages({ router }: Pick<ComponentProps<typeof RouterProvider>, "router">) {
  return <RouterProvider router={router} useTransitions={false} />;
}
