import type { Catalogue } from "../catalogue";
import { number } from "./words";

export const waiting: Catalogue["label"]["waiting"] = {
  disk: {
    title: "다음 이미지를 기다리고 있습니다",
    text: "서버 공간이 부족해 이미지를 선정하지 못하고 있습니다. 관리자에게 알려져 있으며 판정은 안전합니다. 다시 진행되면 자동으로 표시됩니다.",
  },
  turn: {
    title: "다음 이미지를 기다리고 있습니다",
    text: "다음 이미지는 자동으로 표시됩니다. 이 페이지를 열어 두세요.",
  },
  first: {
    title: "첫 이미지를 선정하고 있습니다",
    text: "보통 1분 안에 자동으로 표시됩니다.",
  },
  training: {
    title: "모델이 판정을 학습하고 있습니다",
    text: "다음 이미지는 자동으로 표시됩니다. 이 페이지를 열어 두세요.",
  },
  paused: {
    title: "프로젝트가 일시 중지되었습니다",
    text: "프로젝트가 재개되면 자동으로 라벨링을 이어갑니다.",
  },
  finished: {
    title: "프로젝트가 완료되었습니다",
    text: "모든 라운드가 끝났습니다. 수고하셨습니다.",
    next: "프로젝트로 이동",
  },
  checks: {
    training: {
      title: "답변을 집계하고 있습니다",
      text: "라벨을 확인하기 위한 이미지였습니다. 더 필요하면 자동으로 표시됩니다.",
    },
    others: {
      title: "지금은 확인할 것이 없습니다",
      text: "다른 확인은 동료가 하고 있을 수 있습니다. 더 있으면 자동으로 표시됩니다.",
    },
    finished: {
      title: "확인이 끝났습니다",
      text: "라벨을 확인하기 위한 이미지에 모두 답했습니다. 감사합니다. 이 페이지를 닫아도 됩니다.",
    },
  },
  others: {
    title: "나머지는 동료가 판정하고 있습니다",
    text: "이번 라운드의 남은 이미지는 모두 다른 사람이 보고 있습니다. 새 이미지는 자동으로 표시됩니다.",
  },
  elsewhere: {
    title: "다른 곳에 열어 둔 이미지가 있습니다",
    text: "이번 라운드의 이미지를 다른 탭이나 다른 기기에 열어 두었습니다. 그곳에서 계속하거나 여기로 가져오세요.",
  },
  takeOver: "여기로 가져오기",
  nothing: {
    title: "다음 이미지를 찾고 있습니다",
    text: "이미지는 자동으로 표시됩니다.",
  },
  failed: {
    title: "다음 단계를 준비하지 못했습니다",
    text: "다시 시도할 때까지 새 이미지가 나오지 않습니다. 판정은 안전하게 저장되어 있으며, 그 뒤에는 자동으로 이어집니다.",
    last: "지금 있는 이미지는 계속 판정할 수 있습니다. 그다음 이미지는 다시 시도해야 나옵니다.",
    open: "지금 있는 이미지는 계속 판정할 수 있습니다. 그다음 이미지는 그때 준비하며, 이 문제를 해결할 때까지 다시 실패할 수 있습니다.",
    tell: (names) => `다시 시도할 수 있는 사람에게 알려 주세요: ${names}.`,
    tellAny: "다시 시도할 수 있는 프로젝트 담당자에게 알려 주세요.",
    why: "원인과 해결 방법",
    stopped: "누군가 중지했습니다.",
    remedy: "다시 시도하세요. 또 실패하면 설정에서 다른 모델을 선택하거나 작업 로그를 확인하세요.",
  },
  draft: {
    title: "아직 시작하지 않은 프로젝트입니다",
    text: "프로젝트가 시작되면 이미지가 표시됩니다.",
  },
  steps: {
    snapshot: "판정 모으는 중",
    mend: "이미지를 다시 읽는 중",
    embed: "이미지 살펴보는 중",
    meta_train: "이전 라운드에서 배우는 중",
    train: "판정에서 배우는 중",
    evaluate: "배운 것 시험하는 중",
    score: "모든 이미지 훑어보는 중",
    select: "다음 이미지 고르는 중",
    publish: "이미지 준비하는 중",
    other: "진행 중",
  },
  left: (about) => `${about} 남음`,
  phase: (at, of) => `${of}단계 중 ${at}단계`,
  next: (round, budget) =>
    `이어서 라운드 ${round}의 이미지가 나옵니다. 이 라운드에서는 판정을 모두 ${number(budget)}개까지 받습니다.`,
  mine: {
    title: (round) => `라운드 ${round}의 내 작업`,
    answers: "판정",
    inside: {
      classification: "클래스",
      boxes: "살펴본 이미지",
      instructions: "순위를 정한 묶음",
    },
    ood: {
      classification: "어느 클래스도 아님",
      boxes: "다른 종류의 이미지",
      instructions: "이 데이터에 맞지 않음",
    },
    seconds: "중앙값 시간",
  },
};
