import type { Catalogue } from "..";
import { number } from "./words";

export const review: Catalogue["review"] = {
  title: "검토:",
  progress: "결정함",
  of: (done, total) => `${number(done)} / ${number(total)}`,
  decisions: "결정",
  given: "현재 라벨",
  suggested: "제안",
  quality: (share) => `cleanlab: ${share}`,
  confidence: (share) => `확신도 ${share}`,
  decided: {
    keep: "라벨 유지",
    accept: "제안 수락",
    ood: "분포 외(OOD)",
    unsure: "불확실",
  },
  before: (decision) => `내 결정: ${decision}`,
  beforeHint: "다시 결정하거나 Enter를 눌러 그대로 두세요.",
  last: (decision) => `마지막 결정: ${decision}`,
  pair: (given, suggested) => `현재 라벨 ${given}, 제안 ${suggested}.`,
  late: (count) =>
    `결정하신 이미지 중 ${number(count)}개는 동료가 먼저 결정했습니다. 동료의 결정이 적용됩니다.`,
  hint: "확신도가 높은 제안부터 표시됩니다. 덮어쓰는 것은 없으며 모든 결정은 되돌릴 수 있습니다.",
  doneTitle: "모두 결정했습니다",
  doneText: (decided) =>
    [
      `수락 ${number(decided.accept ?? 0)}개`,
      `유지 ${number(decided.keep ?? 0)}개`,
      `분포 외(OOD) ${number(decided.ood ?? 0)}개`,
      `불확실 ${number(decided.unsure ?? 0)}개`,
    ].join(", "),
  othersTitle: "나머지는 동료가 보고 있습니다",
  othersText: (count) =>
    `제안 ${number(count)}개가 동료의 화면에 있습니다. 결정하지 않은 제안은 여기로 돌아옵니다.`,
  back: "프로젝트로 돌아가기",
  waiting: (count) => `의심되는 라벨 ${number(count)}개 검토`,
};
