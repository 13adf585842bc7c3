import type { EventKind } from "../../api/types";
import { t } from "../../strings";

/** All that can be told, in the order in which it happens. */
export const EVENTS = Object.keys(t.webhooks.events) as EventKind[];
