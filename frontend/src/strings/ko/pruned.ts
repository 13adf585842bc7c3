import type { Catalogue } from "../catalogue";
import { number } from "./words";

/** How good a subset is. */
export const trial: Catalogue["jobs"]["subset"]["trial"] = {
  title: "이 라벨로 학습하면",
  hint: (images) =>
    `학습에 쓰지 않은 평가 이미지 ${number(images)}개 중, 고정 특징 위의 헤드가 맞힌 비율입니다. 네트워크를 학습하려면 이 부분집합으로 재라벨링을 시작하세요.`,
  learned: "학습한 라벨",
  parts: { kept: "유지한 라벨", random: "같은 수를 무작위로", all: "모든 라벨" },
  heads: { ce: "모든 라벨을 믿는 헤드", sop_plus: "잘못된 라벨을 견디는 헤드" },
};

export const premise: Catalogue["jobs"]["subset"]["premise"] = {
  title: "주변의 확신",
  hint: "Prune4ReL은 한 가지를 전제로 합니다. 이미지 주변에 유지된 라벨이 확실할수록, 그 라벨로 학습한 모델이 이미지의 클래스를 더 자주 맞힌다는 것입니다. 라벨이 있는 모든 이미지를 주변이 확실한 정도에 따라 최대 15개 묶음으로 나누었습니다.",
  right: "묶음별 맞은 비율",
  rightHint: "클래스를 아는 이미지의 비율입니다. 묶음을 가리키면 값을 볼 수 있습니다.",
  relabeled: { head: "유지한 라벨로 학습한 모델이 맞힘", warm_up: "예비 학습 모델이 맞힘" },
  labels: "주어진 라벨이 맞음",
  counts: "묶음별 이미지 수",
  countsHint: "주변이 그만큼 확실한 이미지의 수입니다.",
  group: (which, low, high) => `묶음 ${which}, ${low}~${high}`,
  of: (known) => `${number(known)}개 중`,
  correlation: "순위 상관",
  correlationHint:
    "묶음 사이의 스피어만 상관입니다. 확실한 묶음일수록 더 많이 맞으면 1, 차이가 없으면 0, 반대이면 -1입니다.",
  named: "모델이 맞힌 비율",
  given: "주어진 라벨이 맞은 비율",
  known: "클래스를 앎",
  from: {
    truth: "이미지와 함께 가져온 클래스를 정답으로 봅니다.",
    reviews:
      "제안을 검토한 사람의 판단을 정답으로 봅니다. 의심스러운 라벨만 검토했으므로 그 라벨들의 비율입니다.",
  },
  holds: "여기서는 전제가 맞습니다. 주변이 확실할수록 클래스를 더 자주 맞힙니다.",
  weak: "여기서는 거의 드러나지 않습니다. 주변이 확실해도 차이가 작습니다.",
  fails:
    "여기서는 전제가 맞지 않습니다. 주변이 확실할수록 오히려 덜 맞힙니다. 다른 네트워크나 더 많은 에포크를 써 보거나 ‘작은 손실’을 선택하세요.",
  tooFew: "클래스를 아는 이미지가 있는 묶음이 너무 적어 전제가 맞는지 알 수 없습니다.",
  learned:
    "전제가 맞는지 알 수 없습니다. 예비 학습 모델이 검토한 사람의 판단을 이미 배웠으므로 그것으로 평가할 수 없습니다. 고정 특징을 쓰거나 클래스와 함께 가져온 이미지가 있으면 알 수 있습니다.",
  unknown:
    "전제가 맞는지 아직 알 수 없습니다. 라벨과 함께 가져온 이미지가 없고 검토한 제안도 없습니다. 그래서 묶음별 이미지 수만 보여 줍니다.",
};
