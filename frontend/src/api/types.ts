import type { components } from "./schema";

type Schemas = components["schemas"];

/** A type whose optional parts the server has filled in. */
type Filled<T> = T extends object ? { [Key in keyof T]-?: Filled<T[Key]> } : T;

export type User = Schemas["UserOut"];
export type Me = Schemas["Me"];
export type LoginSession = Schemas["SessionOut"];
export type NewSecondFactor = Schemas["SecondFactorSecret"];
export type Role = Schemas["Role"];
export type UserActivity = Schemas["UserActivity"];
export type OwnedToken = Schemas["OwnedToken"];
export type Workers = Schemas["WorkersOut"];
export type Worker = Schemas["WorkerOut"];
export type WorkerProblem = Schemas["WorkerProblem"];
export type ActiveJob = Schemas["ActiveJob"];
export type Storage = Schemas["StorageOut"];
export type Weights = Schemas["WeightsOut"];
export type AuditEntry = Schemas["AuditOut"];
export type Home = Schemas["Home"];
export type ProjectWork = Schemas["ProjectWork"];
export type Token = Schemas["TokenOut"];
export type TokenWithSecret = Schemas["TokenCreated"];

export type Sync = Schemas["SyncOut"];
export type SyncInput = Schemas["SyncCreate"];
export type SyncFinding = Schemas["SyncFinding"];

export type Webhook = Schemas["WebhookOut"];
export type WebhookSecret = Schemas["WebhookSecret"];
export type WebhookInput = { url: string; events: EventKind[] };
/** The project whose events they are told, or all projects. */
export type WebhookPlace = number | "all";
export type Delivery = Schemas["DeliveryOut"];
export type EventKind = Schemas["EventKind"];

export type EmbeddingMap = Schemas["EmbeddingMapOut"];

export type Counts = Schemas["Counts"];
export type ProjectState = Schemas["ProjectState"];
export type ProjectListed = Schemas["ProjectListed"];
export type Settings = Filled<Schemas["ProjectSettings"]>;
export type Goal = Settings["goal"];
/** `settings` is null for those who may only label. */
export type Project = Omit<Schemas["ProjectOut"], "settings"> & { settings: Settings | null };
export type LabelClass = Schemas["ClassOut"];
export type ClassInput = Schemas["ClassIn"];
export type Member = Schemas["MemberOut"];
export type ProjectRole = Schemas["ProjectRole"];
export type Retention = Schemas["RetentionOut"];

export type Job = Schemas["JobOut"];
export type BucketImport = Schemas["BucketImport"];
export type ImportStart = Schemas["ImportStart"];
export type JobPause = Schemas["JobPause"];
export type JobResume = Schemas["JobResume"];
export type JobState = Schemas["JobState"];
export type JobKind = Schemas["JobKind"];
export type JobProgress = Schemas["Progress"];
export type Split = Schemas["Split"];
/** The result of an import job. */
export type Packed = Schemas["Packed"];
/** How large the model sees images, and the one in the middle of those that this was chosen by. */
export type SizeChoice = {
  side: number;
  width: number;
  height: number;
  images: number;
  /** Missing in those of earlier versions, of which the middle is seen. */
  fit?: Settings["fit"];
};

export type ImportReport = {
  added: number;
  /** Labels that were added; missing in imports of earlier versions. */
  annotations?: number;
  /** Examples of the pool that were given labels; likewise. */
  labeled?: number;
  /** Rows whose labels were known already, and rows without a label; likewise. */
  unchanged?: number;
  empty?: number;
  /** What models predict of an image that they did not before; missing in those of earlier versions. */
  predictions?: number;
  duplicates: number;
  /** What nobody had said of what it is for; missing in imports of earlier versions. */
  left_out?: number;
  left_out_by_reason?: Record<string, number>;
  refused: number;
  total: number;
  by_split: Record<string, number>;
  refused_examples: { name: string; reason: string }[];
  /** Missing in imports of earlier versions. */
  refused_by_reason?: Record<string, number>;
  /** Rows whose label contradicts another one of the same image, both of which are kept; likewise. */
  contradicting?: number;
  /** What there is to say of rows that were taken, and of how many; likewise. */
  noted?: Record<string, number>;
  /** In the first import of a project, where nobody had said it. */
  input_size?: SizeChoice;
  /** What there is to say of the import as a whole; missing where there is nothing. */
  notes?: string[];
};

/** What becomes of a folder, or of rows with one value of the split column. */
export type FolderChoice = Schemas["FolderChoice"];
export type PlannedGroup = {
  /** The folder or value; null for images that say no split. */
  name: string | null;
  proposal: FolderChoice;
  /** Why that is not sure. */
  reason: string | null;
  may_be_class: boolean;
  count: number;
  unlabeled: number;
  labels: { name: string; count: number; known: boolean }[];
  examples: string[];
  /** What becomes of several folders or values that are shown as one, and cannot be chosen. */
  fixed?: Split | "left_out" | "refused" | null;
};
export type PlannedColumn = {
  column: string;
  chosen: boolean;
  /** A document states it, whatever is chosen. */
  stated: boolean;
  readable: number;
  unreadable: number;
  /** Values of images that are not annotated as it stands; missing in plans of earlier versions. */
  elsewhere?: number;
  values: string[];
};
/** The result of a dry run of an import. */
export type ImportPlan = {
  total: number;
  rows: number;
  split: Split;
  groups: PlannedGroup[];
  labels: PlannedColumn[];
  /** Classes that what was sent lists, by their numbers; missing in plans of earlier versions. */
  class_names?: string[];
  documents: { name: string; format: string }[];
  /** What models predict, of how many images; missing in plans of earlier versions. */
  predictions?: { model: string; readable: number; left_aside: Record<string, number> }[];
  /** The model whose predictions all of it was taken for. */
  predictions_of?: string | null;
  /** Columns of a Parquet file by what they are; missing where there are none. */
  columns?: Partial<Record<"image" | "text" | "label" | "split", string>>;
  bad_by_reason: Record<string, number>;
  /** The number of the first class in columns of numbers, where that was said. */
  count_from?: number | null;
  /** How numbers are read. */
  notes?: string[];
  /** Whether it is not certain of some numbers what they count. */
  doubts?: boolean;
  /** What the first import of a project would choose; missing in plans of earlier versions. */
  input_size?: SizeChoice | null;
};

export type Round = Schemas["RoundOut"];
export type RoundState = Schemas["RoundState"];
export type OodLeft = Schemas["OodLeft"];
export type Outlook = Schemas["OutlookOut"];
export type Reason = Schemas["Reason"];
export type Comparable = Schemas["Comparable"];
export type RoundMap = Schemas["MapOut"];
export type Surface = Schemas["SurfaceOut"];
export type MapQuery = Schemas["MapQuery"];
export type MapImage = Schemas["MapImage"];

export type Algorithm = Schemas["AlgorithmOut"] & {
  /** What it was called before it was translated. */
  english?: { title: string; summary: string };
};
/** What a project chooses one of; jobs are started instead, and pruning is chosen for each. */
export type AlgorithmKind = Exclude<
  Algorithm["kind"],
  "job" | "learner" | "pruning" | "instruction_selection"
>;
export type Choice = Filled<Schemas["Choice"]>;
/** The part of JSON Schema that parameters are described with. */
export type ParamSchema = {
  type?: string;
  format?: string;
  /** Of which weights are chosen, where that is neither the algorithm's own nor a parameter. */
  library?: string;
  title?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  /** What values of `enum` are called. */
  words?: Record<string, string>;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  anyOf?: ParamSchema[];
};

export type Verdict = Schemas["Verdict"];
export type Label = NonNullable<Schemas["SuggestionOut"]["given_label"]>;
export type LeaseItem = Schemas["LeasedQuery"];
export type Lease = Schemas["Lease"];
export type LabelStatus = Schemas["Status"];
export type Answer = Schemas["AnswerIn"];
export type AnswerResult = Schemas["AnswerResult"];
export type SubmitResponse = Schemas["AnswersOut"];
export type Note = Schemas["NoteOut"];
export type RecentAnswer = Schemas["RecentAnswer"];
export type ExportFormat = Schemas["Format"];

export type Agreement = Schemas["Agreement"];
export type ImportedPredictions = Schemas["PredictionsOut"];
export type ProjectAgreement = Schemas["AgreementOut"];
export type Decision = Schemas["Decision"];
export type Suggestion = Schemas["SuggestionOut"];
export type Review = Schemas["ReviewOut"];
/** The job whose suggestions are reviewed; null where annotators disagree. */
export type ReviewedJob = Review["job_id"];
export type ReviewEstimate = Schemas["ReviewEstimate"];
export type ReviewLease = Schemas["ReviewLease"];
export type DecisionInput = Schemas["DecisionIn"];
export type DecisionResult = Schemas["DecisionResult"];
export type DecisionsResponse = Schemas["DecisionsOut"];
export type Artifact = Schemas["ArtifactOut"];
export type Noise = Schemas["NoiseOut"];
export type Subset = Schemas["SubsetOut"];
export type SubsetSide = Schemas["SubsetSide"];
export type SubsetComparison = Schemas["SubsetComparison"];
export type SubsetFormat = Schemas["SubsetFormat"];
export type ClassGuide = Schemas["ClassGuide"];
export type GuideExample = Schemas["GuideExample"];
/** What is going on while an annotator has no image. */
export type BetweenRounds = Schemas["Between"];
export type RoundFailure = Schemas["RoundFailure"];

export type Example = Schemas["ExampleOut"];
export type ExamplePage = Schemas["ExamplePage"];
export type ExampleDetail = Schemas["ExampleDetail"];
export type ExampleState = Schemas["ExampleState"];
export type ExampleAnnotation = Schemas["AnnotationOut"];
export type Filters = Schemas["Filters"];
export type Selection = Schemas["Selection"];
export type Duplicates = Schemas["Duplicates"];
export type DuplicateGroup = Schemas["DuplicateGroup"];
export type Judgement = Schemas["Judgement"];
export type Changed = Schemas["Changed"];
export type Judged = Schemas["Judged"];
