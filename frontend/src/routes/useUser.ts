import { useOutletContext } from "react-router";
import type { User } from "../api/types";

/** The signed-in user, handed down by the shell. */
export const useUser = (): User => useOutletContext<User>();

export const canManage = (user: User): boolean => user.role !== "annotator";
