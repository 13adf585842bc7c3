import { admin } from "./admin";
import { common } from "./common";
import { home } from "./home";
import { jobs } from "./jobs";
import { label } from "./label";
import { overview } from "./overview";
import { people } from "./people";
import { projects } from "./projects";
import { review } from "./review";
import { setup } from "./setup";

export const en = {
  admin,
  common,
  home,
  jobs,
  label,
  overview,
  people,
  projects,
  review,
  setup,
};
