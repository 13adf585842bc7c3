import { createBrowserRouter } from "react-router";
import { AppShell } from "./AppShell";
import { CrashPage, NotFoundPage } from "./ErrorPages";
import { LoginRoute } from "./LoginRoute";
import { ProjectsRoute } from "./ProjectsRoute";

export const router = createBrowserRouter([
  { path: "/login", Component: LoginRoute, ErrorBoundary: CrashPage },
  {
    path: "/",
    Component: AppShell,
    ErrorBoundary: CrashPage,
    HydrateFallback: () => null,
    children: [
      { index: true, Component: ProjectsRoute },
      { path: "projects/new", lazy: () => import("./NewProjectRoute") },
      {
        path: "projects/:projectId",
        lazy: () => import("./ProjectShell"),
        children: [
          { index: true, lazy: () => import("./OverviewRoute") },
          { path: "pool", lazy: () => import("./PoolRoute") },
          { path: "jobs", lazy: () => import("./JobsRoute") },
          { path: "jobs/:jobId", lazy: () => import("./JobRoute") },
          { path: "subsets", lazy: () => import("./SubsetsRoute") },
          { path: "settings", lazy: () => import("./SettingsRoute") },
        ],
      },
      { path: "projects/:projectId/label", lazy: () => import("./LabelRoute") },
      { path: "projects/:projectId/review/:jobId", lazy: () => import("./ReviewRoute") },
      { path: "users", lazy: () => import("./UsersRoute") },
      { path: "algorithms/:kind/:name", lazy: () => import("./AlgorithmRoute") },
      { path: "account", lazy: () => import("./AccountRoute") },
      { path: "*", Component: NotFoundPage },
    ],
  },
]);
