import { createBrowserRouter, Navigate } from "react-router";
import { AppShell } from "./AppShell";
import { CrashPage, NotFoundPage } from "./ErrorPages";
import { LoginRoute } from "./LoginRoute";
import { ProjectsRoute } from "./ProjectsRoute";

/** One of the admins' pages, which come together. */
const admin = (page: keyof typeof import("./AdminRoutes")) => async () => ({
  Component: (await import("./AdminRoutes"))[page],
});

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
          { path: "rounds/:number", lazy: () => import("./RoundRoute") },
          { path: "pool", lazy: () => import("./PoolRoute") },
          { path: "jobs", lazy: () => import("./JobsRoute") },
          { path: "jobs/:jobId", lazy: () => import("./JobRoute") },
          { path: "subsets", lazy: () => import("./SubsetsRoute") },
          { path: "certificates/:certificateId", lazy: () => import("./CertificateRoute") },
          { path: "certificates/:certificateId/report", lazy: () => import("./ReportRoute") },
          { path: "check", lazy: () => import("./CheckRoute") },
          { path: "settings", lazy: () => import("./SettingsRoute") },
        ],
      },
      { path: "projects/:projectId/label", lazy: () => import("./LabelRoute") },
      { path: "projects/:projectId/label/grid", lazy: () => import("./GridRoute") },
      { path: "projects/:projectId/review/disagreements", lazy: () => import("./ReviewRoute") },
      { path: "projects/:projectId/review/:jobId", lazy: () => import("./ReviewRoute") },
      {
        path: "admin",
        lazy: admin("Shell"),
        children: [
          { index: true, element: <Navigate to="users" replace /> },
          { path: "users", lazy: admin("Users") },
          { path: "tokens", lazy: admin("Tokens") },
          { path: "workers", lazy: admin("Workers") },
          { path: "webhooks", lazy: admin("Webhooks") },
          { path: "weights", lazy: admin("Weights") },
          { path: "judges", lazy: admin("Judges") },
          { path: "storage", lazy: admin("Storage") },
          { path: "audit", lazy: admin("Audit") },
        ],
      },
      { path: "users", element: <Navigate to="/admin/users" replace /> },
      { path: "algorithms/:kind/:name", lazy: () => import("./AlgorithmRoute") },
      { path: "words", lazy: () => import("./GlossaryRoute") },
      { path: "account", lazy: () => import("./AccountRoute") },
      { path: "*", Component: NotFoundPage },
    ],
  },
]);
