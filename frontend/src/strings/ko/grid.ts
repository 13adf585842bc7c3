import type { Catalogue } from "../catalogue";
import { number } from "./words";

const images = (count: number) => `이미지 ${number(count)}개`;
const NONE = "어느 클래스도 아님";

export const grid: Catalogue["grid"] = {
  modes: "라벨링 방식",
  mode: { single: "한 장씩", grid: "그리드" },
  images,
  back: "되돌린 이미지",
  backHint: "새로 판정하기 전까지 기존 판정이 유지됩니다.",
  ood: "없음",
  likelyOod: "어느 클래스도 아닐 가능성이 높음",
  notPredicted: "예측 없음",
  notPredictedHint: "아직 이 이미지를 예측한 모델이 없습니다.",
  groupName: (name, count) => `${name}, ${images(count)}`,
  rest: (name) => `나머지는 모두 ${name ?? NONE}`,
  all: (name) => `모두 ${name ?? NONE}`,
  keep: "이 판정 유지",
  select: "모두 선택",
  unselect: "모두 선택 해제",
  selected: (count) => `${number(count)}개 선택됨`,
  noneSelected: "이미지를 선택한 다음 판정하세요",
  given: (count, verdict) => `${images(count)}: ${verdict}`,
  undone: (count, verdict) => `되돌림: ${images(count)}, ${verdict}`,
  verdictBar: "선택한 이미지의 판정",
  density: "한 화면의 이미지 수",
  larger: "크게 보기",
  preview: "크게 보기",
  previewHint: "이미지를 가리키거나 그 이미지로 이동하면 여기에 크게 표시됩니다.",
  predicted: (name, percent) => `${name}, ${percent}`,
  inside: (percent) => `클래스 중 하나일 확률 ${percent}`,
  tile: (name, id) => name || `이미지 ${id}`,
  helpTitle: "그리드 단축키",
  helpRows: {
    move: "이미지 사이를 이동, Shift를 누르면 지나가며 선택",
    toggle: "이미지 선택 또는 해제",
    group: "그룹 전체 선택",
    clear: "선택 모두 해제",
    verdict: "선택한 이미지를 판정, 선택이 없으면 현재 위치의 이미지를 판정",
    confirm: "그룹의 나머지를 제목의 클래스로 판정",
    undo: "되돌리기: 마지막으로 판정한 이미지를 모두 되돌림",
    look: "이미지 크게 보기",
    resize: "한 화면의 이미지 수를 줄이거나 늘림",
    mode: "한 장씩 보기로 전환",
    help: "도움말 열기 또는 닫기",
  },
};
