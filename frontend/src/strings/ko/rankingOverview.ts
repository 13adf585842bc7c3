import type { Catalogue } from "../catalogue";
import { number } from "./words";

/** How a project of instructions stands. */
export const rankingOverview: Catalogue["overview"]["ranking"] = {
  choose: "지시문 고르기",
  importMore: "행 가져오기",
  pool: "행",
  rows: (rows) => `행 ${number(rows)}개`,
  latest: "고른 지시문",
  latestSays: (kept, rows) => `행 ${number(rows)}개 가운데 ${number(kept)}개를 남겼습니다.`,
  latestNone: "아직 고른 것이 없습니다.",
  byPeople: (groups) => `사람이 묶음 ${number(groups)}개의 순위를 정했습니다.`,
  closing: "사람의 답을 모아 라운드를 닫는 중",
  chosenAs: (kept, format) => `고른 ${number(kept)}개, ${format}`,
  aboutExports: "내보내기 설명",
  allAs: (format) => `모든 행, ${format}`,
  show: "남긴 것과 이유 보기",
  now: (round) => `사람이 순위를 정하는 중: 라운드 ${round}`,
  columns: {
    round: "라운드",
    state: "상태",
    groups: "묶음",
    ranked: "순위 정함",
    none: "맞지 않음",
    unsure: "확신 없음",
    wrong: "잘못되었다고 한 행",
    people: "사람끼리 일치",
    judge: "판정 모델과 같은 첫째",
  },
  tau: (tau) => `${tau} (켄달 타우)`,
  agree: (agree, of, low, high) => `${number(of)}개 중 ${number(agree)}개 (${low}~${high})`,
};
