import { common } from "./common";
import { jobs } from "./jobs";
import { label } from "./label";
import { overview } from "./overview";
import { people } from "./people";
import { projects } from "./projects";
import { review } from "./review";
import { rounds } from "./rounds";
import { setup } from "./setup";

export const en = { common, jobs, label, overview, people, projects, review, rounds, setup };
