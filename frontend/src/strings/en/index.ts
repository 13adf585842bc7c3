import { common } from "./common";
import { label } from "./label";
import { overview } from "./overview";
import { people } from "./people";
import { projects } from "./projects";
import { setup } from "./setup";

export const en = { common, label, overview, people, projects, setup };
