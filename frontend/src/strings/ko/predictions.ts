import type { Catalogue } from "../catalogue";
import { number, particle } from "./words";

export const predictions: Catalogue["predictions"] = {
  title: "모델의 예측",
  hint: "맨 위 모델의 예측을 라벨러에게 보여 줍니다. 그 모델의 예측이 없는 이미지에는 Karat 모델의 제안을 보여 줍니다. 예측은 라벨이 아닙니다.",
  of: (count) => `이미지 ${number(count)}개`,
  serves: "제안 중",
  remove: "삭제",
  removeThis: (model) => `${model}의 예측 삭제`,
  removeTitle: (model) => `${model}의 예측을 삭제할까요?`,
  removeText:
    "더 이상 제안하지 않습니다. 이 예측을 보고 준 답은 그대로 남습니다. 다시 쓰려면 다시 가져오세요.",
  plan: {
    readable: (model, count) =>
      `${particle(model, "이", "가")} 이미지 ${number(count)}개를 예측했습니다. 라벨러에게 제안하며, 누구의 라벨로도 세지 않습니다.`,
    leftAside: "제외한 예측과 이유",
    label: "모델의 예측인가요?",
    hint: "모델 이름을 적으세요. 라벨러에게 제안하며, 누구의 라벨로도 세지 않습니다.",
    again: "예측으로 가져오기",
    column: "예측이 있는 열 하나를 고르세요.",
    take: "예측 가져오기",
    sure: "모델의 확신도가 있는 열(있다면)",
    none: "없음",
    labels: "라벨로 가져오기",
  },
  added: (count) => `예측 ${number(count)}개`,
  label: {
    suggests: (model) => `${model}의 제안`,
    take: (name, share) => (share ? `${name}, ${share}` : name),
  },
  agreement: {
    title: "모델별 제안",
    hint: "각 모델의 제안을 라벨러가 어떻게 처리했는지 보여 줍니다. 라벨러는 제안을 먼저 보고 답하므로, 보지 않았을 때보다 더 자주 일치합니다.",
    model: "모델",
    own: "Karat 모델",
    answers: "제안을 보고 준 답",
    agreed: "제안한 클래스와 같음",
  },
};
