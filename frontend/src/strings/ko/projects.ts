import type { Catalogue } from "../catalogue";
import { number } from "./words";

export const projects: Catalogue["projects"] = {
  title: "프로젝트",
  newProject: "새 프로젝트",
  more: "더 보기",
  emptyTitle: "아직 프로젝트가 없습니다",
  emptyManager: "프로젝트는 이미지나 텍스트의 풀, 찾으려는 클래스, 예산으로 이루어집니다.",
  emptyAnnotator: "아직 참여 중인 프로젝트가 없습니다. 프로젝트 담당자에게 추가를 요청하세요.",
  label: "라벨링",
  labelProject: (name) => `${name} 라벨링`,
  takeAway: "라벨 내보내기",
  takeAwayOf: (name) => `${name} 라벨 내보내기`,
  setUp: "설정 계속하기",
  states: { draft: "준비 중", running: "진행 중", paused: "일시 중지", finished: "완료" },
  roundFailed: "라운드 실패",
  roundStates: {
    selecting: "선정 중",
    open: "열림",
    closing: "학습 중",
    closed: "닫힘",
    failed: "실패",
  },
  roundWaits: "대기 중",
  round: (value) => `라운드 ${value}`,
  noRound: "시작 전",
  spent: (spent, budget) =>
    `${spent.toLocaleString("ko-KR", { maximumFractionDigits: 1 })}${budget === null ? "" : ` / ${number(budget)}`}`,
  counts: {
    pool: "풀",
    in: "라벨 있음",
    ood: "어느 클래스도 아님",
    wrongKind: "다른 종류",
    ranked: "순위 있음",
    evaluation: "평가용",
  },
  images: (count) => `이미지 ${number(count)}개`,
  classes: (count) => `클래스 ${number(count)}개`,
};
