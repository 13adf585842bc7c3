import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { RouterProvider } from "react-router/dom";
import { makeQueryClient } from "./api/queryClient";
import { router } from "./routes/router";
import { StillTrying } from "./ui/StillTrying";

const root = document.getElementById("root");
if (!root) throw new Error("#root is missing");

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={makeQueryClient()}>
      <RouterProvider router={router} />
      <StillTrying />
    </QueryClientProvider>
  </StrictMode>,
);
