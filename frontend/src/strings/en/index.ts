import { admin } from "./admin";
import { advice } from "./advice";
import { alike } from "./alike";
import { boxes } from "./boxes";
import { check } from "./check";
import { common } from "./common";
import { erasure } from "./erasure";
import { exports } from "./exports";
import { fieldFilters } from "./fieldFilters";
import { glossary } from "./glossary";
import { grid } from "./grid";
import { guarantee } from "./guarantee";
import { home } from "./home";
import { instructions } from "./instructions";
import { jobs } from "./jobs";
import { judges } from "./judges";
import { label } from "./label";
import { localization } from "./localization";
import { note } from "./note";
import { overview } from "./overview";
import { paused } from "./paused";
import { people } from "./people";
import { pool } from "./pool";
import { predictions } from "./predictions";
import { projects } from "./projects";
import { retention } from "./retention";
import { review } from "./review";
import { rounds } from "./rounds";
import { selection } from "./selection";
import { setup } from "./setup";
import { signIn } from "./signIn";
import { snapshots } from "./snapshots";
import { states } from "./states";
import { webhooks } from "./webhooks";
import { weights } from "./weights";
import { withdrawal } from "./withdrawal";

export const en = {
  admin,
  advice,
  alike,
  boxes,
  check,
  common,
  erasure,
  exports,
  fieldFilters,
  glossary,
  grid,
  guarantee,
  home,
  instructions,
  jobs,
  judges,
  label,
  localization,
  note,
  overview,
  paused,
  people,
  pool,
  predictions,
  projects,
  retention,
  review,
  rounds,
  selection,
  setup,
  signIn,
  snapshots,
  states,
  webhooks,
  weights,
  withdrawal,
};
