import type { Catalogue } from "../catalogue";
import { premise, trial } from "./pruned";
import { number, particle } from "./words";

export const subset: Catalogue["jobs"]["subset"] = {
  title: "라벨 선별 결과",
  kept: (kept, labeled, method) =>
    `${method}: 라벨 ${number(labeled)}개 중 ${number(kept)}개를 유지합니다.`,
  next: "라운드와 작업에 사용",
  nextHint:
    "다음 라운드와 정규화 방법 비교는 제외된 라벨 없이 학습하며, 이후에 추가되는 라벨은 포함합니다. 재라벨링에서는 이 부분집합을 고를 수 있고, 고르지 않으면 모든 라벨로 학습합니다. 삭제되는 것은 없습니다.",
  use: "이 부분집합으로 학습",
  stop: "모든 라벨로 학습",
  inUse: "사용 중",
  all: "부분집합 비교",
  noise: "잘못된 라벨",
  noiseHint: "라벨과 함께 가져온 이미지만 대상으로 하며, 함께 온 라벨을 정답으로 봅니다.",
  noiseOf: { all: "모든 라벨", kept: "유지", dropped: "제외" },
  part: "대상",
  labels: "라벨",
  known: "정답 있음",
  wrong: "잘못됨",
  ratio: "노이즈",
  corrects: "예비 학습이 바로잡음",
  correctsHint:
    "잘못된 라벨 중 예비 학습 모델이 정답을 예측한 비율입니다. 부분집합으로 학습한 뒤 바로잡는 비율은 재라벨링 작업의 결과에 있습니다.",
  neighbours: "임계값별 이웃 수",
  neighboursHint: (sampled, tau, automatic) =>
    `표본 이미지 ${number(sampled)}개를 유사도 임계값 이상인 이웃의 수로 나눈 비율입니다. 사용한 값은 ${tau}(${
      automatic ? "자동 선택" : "직접 입력"
    })입니다. 다른 값을 고르면 다시 선택하며, 마지막 예비 학습 뒤에 라벨과 이미지가 그대로이면 몇 초면 됩니다. 이웃이 없는 이미지가 많으면 낮추고, 거의 모든 이미지가 이웃이면 높이세요.`,
  tau: "Tau",
  median: "중앙값",
  choice: "선택",
  inUseHere: "사용",
  choose: "다시 선택",
  chooseWith: (tau) => `${particle(`Tau ${tau}`, "으로", "로")} 다시 선택`,
  bin: (from, next) => {
    if (next === undefined) return `${number(from)}+`;
    return from === next - 1 ? `${from}` : `${number(from)}–${number(next - 1)}`;
  },
  trial,
  premise,
  balance: "클래스 균형",
  class: "클래스",
  before: "라벨",
  after: "유지",
  share: "유지 비율",
  objective: "목적 함수",
  objectiveHint: "라벨을 고르는 동안 이 방법이 최대화하는 값",
  noObjective: "이 방법은 최대화하는 값이 없습니다.",
  reached: "도달한 목적 함수 값",
  bound: "최적값의 상한",
  guaranteed: "보장",
  atLeast: (share) => `최적값의 ${share} 이상`,
  optimum: "최적값",
  ofOptimum: (kept, bound, share) =>
    `최선의 선택은 찾는 데 너무 오래 걸립니다. 그러나 라벨 ${number(kept)}개로는 ${particle(bound, "을", "를")} 넘을 수 없으며, 이 선택은 최적값의 ${share} 이상임이 보장됩니다.`,
  isOptimum: (kept) => `라벨 ${number(kept)}개로 이보다 높은 값에 도달할 수 없습니다.`,
  chosen: (count) => `${number(count)}개 유지`,
  first: "가장 먼저 유지한 라벨",
  firstHint: "이 방법이 먼저 고른 순서입니다.",
  dropped: "제외된 라벨",
  droppedHint: "모델이 라벨을 가장 의심하는 순서입니다.",
  none: "제외된 라벨이 없습니다.",
  allDropped: (count) => `제외된 ${number(count)}개 모두 보기`,
  allKept: (count) => `유지한 ${number(count)}개 모두 보기`,
  image: (name, loss, truth) =>
    `라벨 ${name}${truth ? `, 정답 ${truth}` : ""}, 손실 ${loss.toFixed(2)}`,
  truth: (name) => `정답 ${name}`,
  facts: {
    rank: "순위",
    gain: "이득",
    confidence: "신뢰도",
    loss: "손실",
    neighbourhood: "이웃 신뢰도",
    drawn: "난수",
    margin: "마진",
    distance: "거리",
    similarity: "유사도",
    forgotten: "잊은 횟수",
    learned: "학습 여부",
    gradient_norm: "기울기",
  },
};

export const relabel: Catalogue["jobs"]["relabel"] = {
  title: "재라벨링 결과",
  found: "찾은 것",
  noise: (rate, low, high) =>
    `라벨의 약 ${rate}가 잘못되었습니다. 적어도 ${low}, 많아야 ${high}입니다.`,
  noiseOfAll: (rate, low, high) =>
    `어느 클래스도 아니라는 판정까지 포함해 전체 판정의 약 ${rate}가 잘못되었습니다. 적어도 ${low}, 많아야 ${high}입니다.`,
  noiseHint:
    "특징만으로는 잘못된 라벨과 어려운 이미지를 구별할 수 없어 상한은 추정값과 차이가 큽니다. 검토하면 더 정확히 알 수 있습니다.",
  worth: (count, wrong, right) =>
    `제안 ${number(count)}개 중 약 ${wrong}는 현재 라벨이 잘못되었고, ${right}는 제안한 클래스가 맞을 것으로 예상합니다.`,
  stops: (share) =>
    `라벨이 잘못되었을 확률이 ${share} 미만이면 제안하지 않습니다. 그 뒤는 시간 낭비입니다.`,
  noneWorth: (share) => `잘못되었을 확률이 ${share} 이상인 라벨이 없습니다. 검토할 것이 없습니다.`,
  outside: (count) => `그중 ${number(count)}개는 어느 클래스에도 속하지 않는 것으로 보입니다.`,
  learned: (learner, images) => `${learner}: 라벨 ${number(images)}개를 학습했습니다.`,
  judged: (labels) => `라벨 ${number(labels)}개를 각각 그 라벨을 보지 않은 모델이 판단했습니다.`,
  doubts: (doubted, labeled) =>
    `이미지 ${number(labeled)}개 중 ${number(doubted)}개에 다른 라벨을 제안합니다.`,
  accuracy: (share) => `평가용 이미지 정확도는 ${share}입니다.`,
  review: "검토",
  reviewHint:
    "누군가 결정하기 전에는 아무것도 바뀌지 않습니다. 결정은 별도의 라벨 기록으로 남고 되돌릴 수 있습니다.",
  look: "다시 보기",
  truth: "정답과 비교",
  truthHint: (images) =>
    `라벨과 함께 가져온 이미지 ${number(images)}개 기준이며, 함께 온 라벨을 정답으로 봅니다.`,
  noiseBefore: "주어진 라벨 중 잘못된 비율",
  noiseAfter: "모두 수락할 때 잘못된 라벨",
  corrected: "바로잡은 잘못된 라벨",
  trainedCorrected: (wrong) => `학습에 쓴 잘못된 라벨 ${number(wrong)}개 중`,
  second: "교차 확인",
  secondHint:
    "해당 라벨을 보지 않은 예측으로 cleanlab이 지적한 라벨과 이 학습 방법이 바꾸려는 라벨을 비교합니다.",
  both: "둘 다 의심",
  oursOnly: "이 학습 방법만",
  theirsOnly: "cleanlab만",
  voters: "라벨러",
  votersHint: (images, otherwise) =>
    `이미지 ${number(images)}개에 라벨이 여러 개 있습니다. cleanlab은 라벨러마다 라벨이 맞을 확률을 추정해 가중치를 둡니다. 이미지 ${number(otherwise)}개에서 현재 라벨과 다른 결론이 나왔습니다.`,
  voter: "라벨러",
  user: (id) => `사용자 ${id}`,
  quality: "정확도",
  transitions: "바꾸려는 라벨",
  transitionsHint: "많은 순서이며, 비율은 해당 클래스의 전체 라벨 기준입니다.",
  given: "현재 라벨",
  suggested: "제안",
  labels: "라벨",
  share: "비율",
  download: "모든 라벨과 확신도 (Parquet)",
};
