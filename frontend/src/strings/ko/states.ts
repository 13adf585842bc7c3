import type { Catalogue } from "../catalogue";

export const states: Catalogue["states"] = {
  classes: {
    unlabeled: "아직 안 봄",
    queried: "대기열",
    neverAsked: "골랐지만 묻지 않음",
    labeled: "라벨 있음",
    ood: "어느 클래스도 아님",
    unsure: "불확실",
    held_out: "제외됨",
  },
  rankings: {
    unlabeled: "묻지 않음",
    queried: "묻는 중",
    neverAsked: "골랐지만 순위를 정하지 않음",
    labeled: "사람이 순위를 정함",
    ood: "이 데이터에 맞지 않음",
    unsure: "확신 없음",
    held_out: "제외됨",
  },
};
