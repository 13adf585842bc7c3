import type { Catalogue } from "../catalogue";
import { alike, estimate } from "./estimate";
import { number } from "./words";

type Words = Catalogue["review"]["suggestions"];

const ood = "어느 클래스도 아님";
const unsure = "불확실";
const count = (value = 0): string => `${number(value)}개`;

const suggestions: Words = {
  title: "검토:",
  given: () => "현재 라벨",
  suggested: "제안",
  pair: (given, suggested) => `현재 라벨 ${given}, 제안 ${suggested}.`,
  decided: {
    keep: () => "라벨 유지",
    accept: () => "제안 수락",
    other: (name) => `다른 클래스 ${name}`,
    ood: () => ood,
    unsure: () => unsure,
  },
  hint: "지금까지의 결정에 비추어 가장 도움이 될 제안부터 표시됩니다. 덮어쓰는 것은 없으며 모든 결정은 되돌릴 수 있습니다.",
  doneTitle: () => "모두 결정했습니다",
  doneText: (_total, decided) =>
    [
      `수락 ${count(decided.accept)}`,
      `유지 ${count(decided.keep)}`,
      `다른 클래스 ${count(decided.other)}`,
      `${ood} ${count(decided.ood)}`,
      `${unsure} ${count(decided.unsure)}`,
    ].join(", "),
  leftTitle: () => "나머지는 동료가 보고 있습니다",
  leftText: (left) =>
    `제안 ${count(left)}가 동료의 화면에 있습니다. 결정하지 않은 제안은 여기로 돌아옵니다.`,
  waiting: (open) => `의심되는 라벨 ${count(open)} 검토`,
};

const disagreements: Words = {
  title: "엇갈린 판정:",
  given: (equal) => (equal ? "한쪽 판정" : "다수 판정"),
  suggested: "다른 판정",
  pair: (given, suggested, equal) =>
    `${equal ? "한쪽" : "다수"} 판정 ${given}, 다른 판정 ${suggested}.`,
  decided: {
    keep: (name) => name,
    accept: (name) => name,
    other: (name) => name,
    ood: () => ood,
    unsure: () => unsure,
  },
  hint: "결정한 내용이 라벨이 됩니다. 덮어쓰는 것은 없으며 모든 결정은 되돌릴 수 있습니다.",
  doneTitle: (total) => (total > 0 ? "모두 결정했습니다" : "엇갈린 판정이 없습니다"),
  doneText: (total) =>
    total > 0
      ? `판정이 엇갈린 이미지 ${count(total)}를 모두 결정했습니다.`
      : "사람마다 판정이 엇갈린 이미지가 여기에 표시됩니다. 같은 이미지를 여러 명이 라벨링해야 생기며, 설정의 ‘이미지당 라벨러’나 다시 보기로 정합니다.",
  leftTitle: (manages) =>
    manages ? "나머지는 동료가 보고 있습니다" : "결정하실 이미지가 남아 있지 않습니다",
  leftText: (left, manages) =>
    manages
      ? `이미지 ${count(left)}가 동료의 화면에 있습니다. 결정하지 않은 이미지는 여기로 돌아옵니다.`
      : `남은 이미지 ${count(left)}는 동료가 보고 있거나 직접 판정하신 이미지입니다. 내 판정이 엇갈린 이미지는 다른 사람이나 프로젝트 관리자가 결정합니다.`,
  waiting: (open) => `엇갈린 판정 ${count(open)} 결정`,
};

export const review: Catalogue["review"] = {
  suggestions,
  disagreements,
  estimate,
  alike,
  progress: "결정함",
  of: (done, total) => `${number(done)} / ${number(total)}`,
  decisions: "결정",
  votes: (votes, total) => `판정 ${number(total)}개 중 ${count(votes)}`,
  quality: (share) => `라벨 품질 ${share}`,
  confidence: (share) => `확신도 ${share}`,
  others: "다른 클래스",
  before: (decision) => `내 결정: ${decision}`,
  beforeHint: "다시 결정하거나 Enter를 눌러 그대로 두세요.",
  last: (decision) => `마지막 결정: ${decision}`,
  also: (names) => `그 밖의 판정: ${names}.`,
  late: (images) =>
    `결정하신 이미지 중 ${count(images)}는 동료가 먼저 결정했습니다. 동료의 결정이 적용됩니다.`,
  back: "프로젝트로 돌아가기",
  takeBack: {
    action: "모두 되돌리기",
    title: "모든 결정을 되돌릴까요?",
    text: (decided) =>
      `라벨 ${count(decided)}가 검토 전으로 돌아갑니다. 결정 기록은 남고 이미지는 다시 열립니다.`,
  },
  helpTitle: "검토 단축키",
  helpRows: {
    keep: "왼쪽 라벨로 결정",
    accept: "오른쪽 라벨로 결정",
    classes: "클래스의 키를 누르면 두 라벨이든 다른 클래스든 그 클래스로 결정합니다.",
    keepDecision: "되돌아온 이미지의 결정 유지",
  },
};
