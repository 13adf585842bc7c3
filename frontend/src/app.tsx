import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { makeQueryClient } from "./api/queryClient";
import { Pages } from "./routes/Pages";
import { router } from "./routes/router";
import { StillTrying } from "./ui/StillTrying";

const root = document.getElementById("root");
if (!root) throw new Error("#root is missing");

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={makeQueryClient()}>
      <Pages router={router} />
      <StillTrying />
    </QueryClientProvider>
  </StrictMode>,
);
