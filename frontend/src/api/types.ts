import type { components } from "./schema";

type Schemas = components["schemas"];

/** A type whose optional parts the server has filled in. */
type Filled<T> = T extends object ? { [Key in keyof T]-?: Filled<T[Key]> } : T;

export type User = Schemas["UserOut"];
export type Role = Schemas["Role"];
export type Token = Schemas["TokenOut"];
export type TokenWithSecret = Schemas["TokenCreated"];

export type Counts = Schemas["Counts"];
export type ProjectState = Schemas["ProjectState"];
export type ProjectSummary = Schemas["ProjectSummary"];
export type Settings = Filled<Schemas["ProjectSettings"]>;
/** `settings` is null for those who may only label. */
export type Project = Omit<Schemas["ProjectOut"], "settings"> & { settings: Settings | null };
export type LabelClass = Schemas["ClassOut"];
export type ClassInput = Schemas["ClassIn"];
export type Member = Schemas["MemberOut"];

export type Job = Schemas["JobOut"];
export type JobProgress = Schemas["Progress"];
export type Split = Schemas["Split"];
/** The result of an import job. */
export type ImportReport = {
  added: number;
  duplicates: number;
  refused: number;
  total: number;
  by_split: Record<string, number>;
  refused_examples: { name: string; reason: string }[];
};

export type Round = Schemas["RoundOut"];
export type RoundState = Schemas["RoundState"];

export type Algorithm = Schemas["AlgorithmOut"];
/** What a project chooses one of; jobs are started instead, and pruning is chosen for each. */
export type AlgorithmKind = Exclude<Algorithm["kind"], "job" | "pruning">;
export type Choice = Filled<Schemas["Choice"]>;
/** The part of JSON Schema that parameters are described with. */
export type ParamSchema = {
  type?: string;
  title?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  anyOf?: ParamSchema[];
};

export type Verdict = Schemas["Verdict"];
export type LeaseItem = Schemas["LeasedQuery"];
export type Lease = Schemas["Lease"];
export type LabelStatus = Schemas["Status"];
export type Answer = Schemas["AnswerIn"];
export type AnswerResult = Schemas["AnswerResult"];
export type SubmitResponse = Schemas["AnswersOut"];
export type RecentAnswer = Schemas["RecentAnswer"];
export type ExportFormat = Schemas["Format"];
