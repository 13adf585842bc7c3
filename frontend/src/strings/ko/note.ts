import type { Catalogue } from "../catalogue";

export const note: Catalogue["note"] = {
  name: "메모",
  change: (text) => `메모 수정: ${text}`,
  hint: "Enter로 남기고 Esc로 취소합니다. 판정과 함께 전송됩니다.",
  touch: "판정과 함께 전송됩니다.",
  left: (count) => `${count}자 남음`,
  help: "메모: 나중에 볼 사람을 위해 판정에 덧붙이는 글",
  helpTouch: "메모: 나중에 볼 사람을 위해 판정에 덧붙이는 글입니다.",
  reviewer: (verdict) => `검토자의 판정: ${verdict}`,
  fromReviewer: (verdict) => `${verdict}, 검토자의 메모 있음`,
  written: "메모",
  with: "메모 있음",
};
