import type { Catalogue } from "../catalogue";
import { number } from "./words";

export const comparison: Catalogue["jobs"]["comparison"] = {
  title: "정규화 방법 비교",
  from: (inside, ood) =>
    `라벨 이미지 ${number(inside)}개와 어느 클래스도 아닌 이미지 ${number(ood)}개로, 같은 시드와 같은 스텝 수로 학습했습니다.`,
  judged: (images, ood) =>
    `학습에 쓰지 않은 평가용 이미지 ${number(images)}개와 어느 클래스도 아닌 이미지 ${number(ood)}개로 평가했습니다.`,
  judgedHeldOut: (images, ood) =>
    `평가용 이미지가 없어 라벨 이미지 ${number(images)}개와 어느 클래스도 아닌 이미지 ${number(ood)}개를 학습에서 빼고 평가에 사용했습니다.`,
  weights: (taufe, oat) =>
    `어느 클래스도 아닌 이미지의 가중치는 TAUFE ${taufe}${oat === undefined ? "" : `, OAT ${oat}`}입니다.`,
  leftOut: (labels) => `사용 중인 부분집합에 따라 라벨 ${number(labels)}개를 뺐습니다.`,
  few: "평가 이미지가 적어 몇 퍼센트의 차이는 우연일 수 있습니다.",
  unlabeled: (images, leftOut) =>
    `첫 번째를 뺀 나머지는 라벨이 없는 이미지 ${number(images)}개로도 학습했습니다.${
      leftOut > 0 ? ` 어느 클래스도 아닐 가능성이 높은 ${number(leftOut)}개는 제외했습니다.` : ""
    }`,
  attackedImages: (images) =>
    `평가 이미지 중 ${number(images)}개는 네트워크가 틀리는 방향으로 픽셀을 조금씩 바꾼 공격 이미지로도 평가했습니다.`,
  methods: {
    supervised: { supervised: "라벨만 사용", standard: "일반 학습", oat: "OAT", taufe: "TAUFE" },
    mixmatch: {
      supervised: "라벨만 사용",
      standard: "MixMatch 학습",
      oat: "MixMatch 학습, OAT",
      taufe: "MixMatch 학습, TAUFE",
    },
    adversarial: {
      supervised: "원본 이미지로 학습",
      standard: "적대적 학습",
      oat: "적대적 학습, OAT",
      taufe: "적대적 학습, TAUFE",
    },
  },
  figures: "지표",
  figuresHint:
    "괄호 안은 95% 구간입니다. 다른 값이 그 구간에 들지 않을 때만 각 행의 최고값을 굵게 표시합니다. 유사도와 FPR95를 빼고는 높을수록 좋습니다.",
  figure: "지표",
  accuracy: "정확도",
  attacked: "공격 이미지 정확도",
  similarity: "클래스 간 유사도",
  scores: { msp: "최대 확률", energy: "에너지" },
  auroc: (score) => `AUROC, ${score}`,
  aupr: (score) => `AUPR out, ${score}`,
  fpr: (score) => `FPR95, ${score}`,
  perClass: "클래스별 정확도",
  class: "클래스",
  next: "다음 라운드부터",
  nextHint:
    "다음 라운드부터 그때까지의 모든 라벨로, 사용 중인 부분집합이 있으면 제외된 라벨을 빼고 이 네트워크를 이 방법으로 새로 학습합니다. 기존 결과는 그대로 남습니다.",
  models: "모델",
  modelsHint:
    "라운드는 라벨과 원본 이미지만으로 학습하므로 이 방식으로는 학습할 수 없습니다. 일반 학습, OAT, TAUFE로는 학습할 수 있습니다.",
  use: "사용",
  forNextRounds: (method) => `다음 라운드부터 ${method} 사용`,
  inUse: "사용 중",
  used: (method, model) => `다음 라운드부터 ${method} 방식으로 학습합니다. 이전 모델: ${model}.`,
  undo: "되돌리기",
  download: "모델 파일",
  map: "특징 지도",
  mapHint:
    "점 하나가 학습에 쓰지 않은 이미지 하나입니다. 점 사이의 거리는 의미가 있지만 전체 위치에는 의미가 없습니다.",
  mapPoint: "점을 가리키면 여기에 이미지가 표시됩니다.",
  mapOf: (method, images) => `${method}: 이미지 ${images}개`,
  ood: "어느 클래스도 아님",
};
