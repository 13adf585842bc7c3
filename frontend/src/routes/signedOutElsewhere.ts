import { useEffect } from "react";
import { leaveFor } from "../ui/leaving";

// One for the whole page: a channel tells every other one of its name, also in the page that speaks,
// and whoever signs out is on the way to where single sign-on ends the session.
const others = new BroadcastChannel("karat.signed-out");

/** Have the other tabs of this browser show nothing more of whoever has just signed out. */
export function leaveElsewhere(): void {
  others.postMessage(null);
}

/** Leave once somebody signs out in another tab: unlike a session that has ended, that was meant. */
export function useLeaving(): void {
  useEffect(() => {
    const leave = () => leaveFor("/login");
    others.addEventListener("message", leave);
    return () => others.removeEventListener("message", leave);
  }, []);
}
