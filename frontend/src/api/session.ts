import { Listeners } from "../lib/listeners";

/** Of what any request may come upon, the page around all others is told, to act on it. */
const signedOut = new Listeners();
const unsettled = new Listeners();

/** The server no longer knows the session. */
export const onSignedOut = signedOut.subscribe;
export const announceSignedOut = (): void => signedOut.tell();

/** The server wants something of who is signed in first, as a password of their own. */
export const onUnsettled = unsettled.subscribe;
export const announceUnsettled = (): void => unsettled.tell();
