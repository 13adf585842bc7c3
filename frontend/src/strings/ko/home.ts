import type { Catalogue } from "../catalogue";
import { number } from "./words";

const upTo = (count: number) => (count >= 1000 ? "1,000개 이상" : `${number(count)}개`);

export const home: Catalogue["home"] = {
  waiting: (count) => `이번 라운드에서 판정할 이미지 ${upTo(count)}`,
  waitingFor: {
    training: "모델이 학습하고 있습니다. 새 이미지는 자동으로 표시됩니다.",
    failed: "다음 단계를 준비하지 못했습니다. 프로젝트 담당자가 다시 시도해야 합니다.",
    disk: "서버 공간이 부족해 새 이미지를 선정하지 못하고 있습니다. 공간이 생기면 자동으로 표시됩니다.",
    paused: "담당자가 일시 중지했습니다.",
    finished: "완료되었습니다. 수고하셨습니다.",
    others: "지금은 대기 중인 것이 없습니다. 나머지는 동료가 보고 있을 수 있습니다.",
    nothing: "지금은 할 일이 없습니다.",
    start: "아직 시작하지 않았습니다.",
  },
  byThemselves: "새 이미지는 자동으로 표시됩니다.",
  first: "첫 이미지를 선정하고 있습니다. 자동으로 표시됩니다.",
  reviews: (count) => `제안 ${upTo(count)} 검토`,
  disagreements: (count) => `엇갈린 판정 ${upTo(count)} 결정`,
  work: "내 작업 현황",
  workHint:
    "참여 중인 모든 프로젝트를 합한 값이며, 날짜는 이 기기의 시간대를 따릅니다. 건너뛰기도 셉니다.",
  today: "오늘",
  unit: () => "개",
  perVerdict: "판정당 시간",
  perVerdictHint: (usual) => `최근 14일 ${usual}`,
  twoWeeks: "최근 14일",
  nothingYet: "첫 판정을 하면 여기에 속도가 표시됩니다.",
  chart: "일별 판정 수",
  chartSummary: (total, best) => `최근 14일 판정 ${number(total)}개, 하루 최대 ${number(best)}개.`,
  day: (date, verdicts, seconds) =>
    verdicts === 0 ? `${date}: 없음` : `${date}: 판정 ${number(verdicts)}개, 개당 ${seconds}`,
  since: (date) => `${date}부터 집계한 값입니다.`,
  agreement: "일치도",
  agreementNone: "같은 이미지를 다른 사람이 판정하거나 내 판정을 검토하면 표시됩니다.",
  agreementRows: {
    in_ood: { title: "클래스 중 하나인지 아닌지", of: "같은 이미지에 대한 다른 사람의 판정" },
    classes: { title: "클래스", of: "같은 이미지에 대한 다른 사람의 클래스 판정" },
    reviews: { title: "검토에서 유지됨", of: "내 이미지에 대한 검토 결정" },
  },
  of: (count, what) => `${what} ${number(count)}개 기준`,
  keys: "단축키",
  keysClasses: "해당 키의 클래스",
  allKeys: "라벨링 중 H를 누르면 모든 단축키가 표시됩니다.",
};
