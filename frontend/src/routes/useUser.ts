import { useOutletContext } from "react-router";
import type { User } from "../api/types";

/** The signed-in user, handed down by the shell. */
export const useUser = (): User => useOutletContext<User>();

/** Whether somebody may make projects. What they may do in one is said by its `permissions`. */
export const canManage = (user: User): boolean => user.role !== "annotator";
