import type { Choice, Noise } from "./types";

/** Sentences without which the rest is not to be read; missing in jobs of earlier versions. */
type Warned = { warnings?: string[] };

/** What the networks of the job `taufe` learn from, beside labels. */
export type Training = "supervised" | "mixmatch" | "adversarial";
/** Ways to train that the jobs `taufe` and `localize` compare. */
export type Method = "standard" | "oat" | "taufe";
/** Of what OOD images add to the loss; missing in jobs of earlier versions. */
export type Weights = { taufe: number; oat?: number };
/** Those of `taufe`: where training is not supervised, a plain network stands beside them. */
export type Trained = Method | "supervised";
/** How well a score tells OOD apart, in 0..1; `fpr95` is better when lower. */
export type Detection = { auroc: number; aupr_out: number; fpr95: number };
export type MethodFigures = {
  accuracy: number | null;
  /** Of images that were attacked, where some were. */
  attacked_accuracy?: number;
  per_class: (number | null)[];
  similarity: number | null;
  msp: Detection | null;
  energy: Detection | null;
};
/** The result of a job `taufe`. */
export type Comparison = Warned & {
  /** Missing in jobs of earlier versions. */
  training?: Training;
  methods: Record<Method, MethodFigures> & { supervised?: MethodFigures };
  weights?: Weights;
  /** Empty where rounds cannot train so. */
  settings: Partial<Record<Method, Choice>>;
  class_ids: number[];
  /** How many images judge each class; missing in jobs of earlier versions. */
  per_class_examples?: number[];
  judged_on: "evaluation" | "held_out";
  counts: Record<"inside" | "verdicts" | "auxiliary" | "test" | "test_ood" | "left_out", number> &
    Partial<Record<"unlabeled" | "unlabeled_left_out" | "attacked", number>>;
};
/** Where the map shows each image, in -1..1; a class of null is OOD. */
export type Drawing = {
  examples: number[];
  class_ids: (number | null)[];
  points: Partial<Record<Trained, [number, number][]>>;
};

/** The result of a job `relabel`; `transitions[a][b]` counts labels a for which b is suggested. */
export type Relabeling = Warned & {
  relabels_id: number;
  learner: string;
  /** What follows is of jobs that judged by frozen features, and missing in all others. */
  network?: string;
  /** A suggestion is made where the given label is wrong with this probability at least. */
  share?: number;
  noise?: Record<"rate" | "low" | "high", number>;
  /** Of the suggestions: how many given labels are wrong, and how many proposed ones right. */
  expected?: Record<"wrong" | "right", number | null>;
  /** Whether verdicts of none of the classes were judged, too: `noise` is of all of them then. */
  knows_ood?: boolean;
  /** How many are suggested to be OOD. */
  outside?: number;
  subset: number | null;
  labeled: number;
  trained: number;
  disagreements: number;
  test_accuracy: number | null;
  /** How many images that was measured on; missing in jobs of earlier versions. */
  test_examples?: number;
  class_ids: number[];
  transitions: number[][];
  /** How many labels there are of each class; missing in jobs of earlier versions. */
  labels_of?: number[];
  cleanlab: Record<"flagged" | "both" | "ours_only" | "theirs_only", number> | null;
  /** Weighed by cleanlab where images have several votes; missing in jobs of earlier versions. */
  votes?: {
    examples: number;
    other_consensus: number;
    annotators: {
      user_id: number | null;
      source_name: string | null;
      labels: number;
      quality: number;
    }[];
  } | null;
  truth: {
    known: number;
    noise_before: number;
    noise_after: number;
    corrected: number | null;
    /** Of those that were learned from; missing in jobs of earlier versions. */
    trained_wrong?: number;
    trained_corrected?: number | null;
  } | null;
};

export type ShownExample = {
  example_id: number;
  class_id: number;
  /** Null where nobody knows; missing in subsets of earlier versions. */
  true_class_id?: number | null;
  loss: number;
  /** Missing in jobs of earlier versions, and where two subsets are compared. */
  rank?: number | null;
  gain?: number | null;
  confidence?: number | null;
  reasons?: Record<string, number>;
};

/** How many examples have how many neighbours at each threshold. */
export type Neighbours = {
  tau: number;
  automatic: boolean;
  similarity: "shifted" | "cosine";
  /** How many examples were looked at. */
  sampled: number;
  /** The least number of neighbours of each bin; the last has no upper end. */
  least: number[];
  rows: { tau: number; median: number; shares: number[] }[];
};
/** A share of 0..1, and the ends of its 95 % interval. */
export type ShareWithin = { share: number; low: number; high: number };
/** Images whose neighbourhood confidence is from `low` to `high`. */
export type PremiseBin = {
  low: number;
  high: number;
  count: number;
  /** Of how many the true class is known, which is what the shares are of. */
  known: number;
  labels_right: ShareWithin | null;
  relabeled_right: ShareWithin | null;
};
/** Neighbourhood confidence against what is right; `labels` and `relabeled` are rank correlations. */
export type Premise = {
  /** What names the classes: a head that has learned what is kept, or the warm-up. */
  by: "head" | "warm_up";
  /** What says which class is right: labels that images came with, reviews, or nothing. */
  source: "truth" | "reviews" | null;
  known: number;
  labels: number | null;
  relabeled: number | null;
  bins: PremiseBin[];
};

/** What heads that learned labels name rightly of the images that judge, 0..1. */
export type Trial = {
  /** How many images judge. */
  examples: number;
  heads: Record<"ce" | "sop_plus", Record<"kept" | "random" | "all", number>>;
};

/** The result of a job `prune`; `before` and `after` count the labels of each class. */
export type PruneResult = Warned & {
  subset_id: number;
  method: string;
  labeled: number;
  kept: number;
  class_ids: number[];
  before: number[];
  after: number[];
  /** Missing in results of earlier versions, as is `neighbours`. */
  noise?: Record<"all" | "kept" | "dropped", Noise> | null;
  neighbours?: Neighbours | null;
  /** Of Prune4ReL alone, and missing in results of earlier versions. */
  premise?: Premise | null;
  /** Missing in results of earlier versions. */
  trial?: Trial | null;
  /** Of the wrong labels, those whose true class the warm-up names. */
  warm_up_corrects?: Record<
    "all" | "kept" | "dropped",
    { wrong: number; corrected: number; ratio: number | null }
  > | null;
  objective: [number, number][];
  /** Numbers about the choice, by name; `upper_bound` and `guaranteed` where a method has them. */
  extras?: Record<string, number>;
  notes: string[];
  shown: { kept: ShownExample[]; dropped: ShownExample[] };
};
