import type { Catalogue } from "..";

export const questions: Catalogue["jobs"]["questions"] = {
  title: "무엇을 알고 싶으세요?",
  hint: "질문을 고르면 답을 찾는 작업과 그 결과가 아래에 열립니다.",
  ask: {
    relabel: {
      title: "어느 라벨이 틀렸나요?",
      text: "틀렸을 법한 라벨과 그 수를 찾습니다. 하나씩 받아들이거나 거절할 수 있습니다.",
    },
    prune: {
      title: "무엇으로 학습할까요?",
      text: "학습에 좋은 라벨을 골라냅니다. 아무것도 삭제하지 않습니다.",
    },
    localize: {
      title: "얼마나 잘 찾나요?",
      text: "물체가 하나씩인 이미지로, 그대로 또는 OOD 이미지에 맞서 학습하고 각각 어디를 보는지 보여 줍니다.",
    },
    taufe: {
      title: "OOD 이미지가 도움이 되나요?",
      text: "어느 클래스도 아닌 이미지를 세 가지 방법으로 학습에 써 보고 비교합니다.",
    },
    select_instructions: {
      title: "가르칠 만한 지시문은 어느 것인가요?",
      text: "비슷한 행을 묶어 판정 모델이 순위를 정하고, 확실하지 않은 것은 사람이 정해, 묶음마다 가장 좋은 것을 남깁니다.",
    },
  },
  noImages: "모두 라벨이 있는 이미지가 필요하지만, 풀이 비어 있습니다.",
  noLabels: "모두 라벨이 필요합니다. 이미지를 라벨링하거나 라벨을 가져오세요.",
};
