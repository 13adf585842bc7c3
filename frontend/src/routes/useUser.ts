import { useOutletContext } from "react-router";
import type { Me, User } from "../api/types";

/** The signed-in user, handed down by the shell. */
export const useUser = (): Me => useOutletContext<Me>();

/** Whether somebody may make projects. What they may do in one is said by its `permissions`. */
export const canManage = (user: User): boolean => user.role !== "annotator";
