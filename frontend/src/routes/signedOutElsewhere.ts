import { useEffect } from "react";

const CHANNEL = "karat.signed-out";

/** Have the other tabs of this browser show nothing more of whoever has just signed out. */
export function leaveElsewhere(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(null);
  channel.close();
}

/** Leave once somebody signs out in another tab: unlike a session that has ended, that was meant. */
export function useLeaving(): void {
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL);
    // A new document: nothing of this person stays in the page's memory.
    channel.onmessage = () => window.location.assign("/login");
    return () => channel.close();
  }, []);
}
