import type { Catalogue } from "../catalogue";
import { number } from "./words";

type Words = Catalogue["review"];

const count = (value: number): string => `${number(value)}개`;

export const estimate: Words["estimate"] = {
  title: "결정으로 알 수 있는 것",
  tooFew: (decided, fewest) =>
    `제안이 얼마나 맞는지 알기에는 결정이 아직 적습니다: ${number(fewest)}개 중 ${count(decided)}.`,
  precision: (wrong, decided, share, low, high) =>
    `결정한 라벨 ${count(decided)} 중 ${count(wrong)}가 틀렸습니다: ${share}. 길게 보면 ${low}~${high}입니다.`,
  classes: (right, share) => `제안된 클래스가 맞은 것은 ${count(right)}입니다(${share}).`,
  left: (open, wrong) => `남은 ${count(open)} 중 약 ${count(wrong)}의 라벨이 틀렸습니다.`,
  goOn: (next) => `계속하세요. 다음에 나오는 라벨의 약 ${next}가 틀렸습니다.`,
  stop: (next, share) =>
    `멈춰도 됩니다. 다음에 나오는 라벨 중 틀린 것은 약 ${next}로, 작업이 제안하도록 정한 ${share}보다 적습니다.`,
  audit: {
    waiting: (size) =>
      `제안되지 않은 라벨 ${count(size)}를 무작위로 뽑았습니다. 검토 중간에 나옵니다.`,
    found: (wrong, decided, size) =>
      `제안되지 않은 라벨에서 무작위로 뽑은 ${count(decided)} 중 ${count(wrong)}가 틀렸습니다${decided < size ? `. ${count(size - decided)}가 남았습니다` : ""}.`,
    left: (labels, share, low, high) =>
      `따라서 제안되지 않은 라벨 ${count(labels)} 중 ${share}가 틀렸습니다(최소 ${low}, 최대 ${high}).`,
    action: (size) => `다른 라벨 ${count(size)} 확인`,
    hint: "제안되지 않은 라벨을 무작위로 뽑아 검토 중간에 묻습니다. 그 결과로 틀린 라벨이 얼마나 남았는지 알 수 있습니다.",
  },
  again: {
    action: "다시 판단",
    hint: "작업을 새로 실행합니다. 결정한 내용을 학습하고, 결정한 라벨은 다시 제안하지 않습니다.",
  },
};

export const alike: Words["alike"] = {
  mode: "보기",
  modes: { single: "하나씩", groups: "묶음" },
  heading: (given, suggested, images) =>
    `이미지 ${count(images)}: 현재 라벨 ${given}, 제안 ${suggested}`,
  image: (name) => `${name}에도 적용`,
  out: "제외됨",
  chosen: (chosen, all) => `${number(chosen)} / ${number(all)}`,
  hint: "키 하나로 묶음의 모든 이미지를 결정합니다. 해당하지 않는 이미지는 먼저 클릭해 제외하세요. 제외한 이미지는 하나씩 나옵니다.",
  none: "남은 묶음이 없습니다",
  noneText: "나머지 제안은 비슷한 것이 없어 하나씩 나옵니다.",
  oneByOne: "하나씩 계속",
  decided: (images, decision) => `마지막 결정: 이미지 ${count(images)}, ${decision}`,
};
