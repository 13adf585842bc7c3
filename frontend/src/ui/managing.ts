import { createContext, useContext } from "react";

const ManagingContext = createContext(true);

/** Says of a page whether who looks at it may change what it shows; pages of no project say nothing. */
export const Managing = ManagingContext.Provider;

/** Whether who looks may change what the page shows, or only see it. */
export const useManages = (): boolean => useContext(ManagingContext);
