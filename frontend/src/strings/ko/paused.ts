import type { Catalogue } from "../catalogue";
import { number as count } from "./words";

export const paused: Catalogue["paused"] = {
  title: "지출 한도에 이르러 일시 중지됨",
  spent: (spent, cap) =>
    `쓴 금액은 ${cap} 중 ${spent}이며, 다음 질문의 비용이 남은 금액을 넘을 수 있습니다.`,
  done: {
    clusters: (done, of) => `묶음 ${count(of)}개 중 ${count(done)}개가 끝나 보관되어 있습니다.`,
    rows: (done, of) => `행 ${count(of)}개 중 ${count(done)}개의 점수가 보관되어 있습니다.`,
    texts: (done, of) => `행 ${count(of)}개 중 ${count(done)}개의 임베딩이 보관되어 있습니다.`,
  },
  rest: (rest) => `나머지 비용은 약 ${rest}입니다.`,
  raise: "모두 합해 쓸 수 있는 금액",
  raiseHint: "판정 모델 가격의 통화입니다. 멈춘 지점부터 이어 가며, 같은 것을 두 번 묻지 않습니다.",
  needed: (spent, most) => `이미 쓴 ${spent}보다 크고 ${count(most)} 이하인 숫자를 입력하세요.`,
  goOn: "이어서 하기",
  finish: "지금까지의 결과로 끝내기",
  finishHint: "더 묻지 않습니다. 묻지 않은 것은 순위 없이 남고, 그렇게 집계됩니다.",
  decide: "정하기",
  short: (done, of) => `지출 한도에 이름, ${count(of)}개 중 ${count(done)}개 끝남`,
};
