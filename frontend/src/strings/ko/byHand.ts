import type { Catalogue } from "../catalogue";
import { number } from "./words";

const images = (value: number) => `이미지 ${number(value)}개`;

export const byHand: Catalogue["pool"]["byHand"] = {
  takeBack: "판정 취소",
  takeBackText: "여기서 내린 내 판정은 더 이상 반영되지 않고, 다른 사람의 판정이 다시 반영됩니다.",
  takenBack: "취소했습니다",
  said: (name) => `저장됨: ${name}`,
  refused: (name) => `${name}: 바뀌지 않았습니다`,
  reasons: {
    looked_at: "지금 다른 사람이 보고 있습니다. 몇 분 뒤에 다시 시도하세요.",
    in_open_group:
      "열려 있는 라운드에서 이 그룹의 순위를 매기고 있습니다. 라운드가 닫힌 뒤에 하세요.",
    last_of_round: "라운드가 기다리는 마지막 이미지입니다. 라벨링 화면에서 답하세요.",
    not_judged: "취소할 내 판정이 없습니다.",
    held_out: "제외된 이미지입니다.",
  },
  show: "보기",
  edit: "상자 수정",
  draw: "상자 그리기",
  editing: (name) => `상자: ${name}`,
  escape: "선택한 상자와 클래스가 없어질 때까지 Esc를 누르면 닫힙니다.",
  leave: {
    title: "저장하지 않고 나갈까요?",
    text: "이 이미지에서 바꾼 내용이 사라집니다.",
    action: "나가기",
  },
  many: {
    action: "라벨 붙이기…",
    title: (count) => `${count} 라벨링`,
    text: "이 판정은 검토입니다. 비용이 들지 않고 라벨러의 답변보다 우선하며, 대기 중인 이미지는 대기열에서 빠집니다. 이전 판정은 기록에 남습니다.",
    as: "판정",
    choose: "선택…",
    takeBack: "내 판정 취소",
    confirm: "라벨 붙이기",
    done: (name, value) => `${images(value)}에 판정했습니다: ${name}.`,
    takenBack: (value) => `${images(value)}에 내린 내 판정을 취소했습니다.`,
  },
};
