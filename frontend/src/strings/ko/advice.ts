import type { Catalogue } from "../catalogue";
import { number, particle } from "./words";

export const advice: Catalogue["advice"] = {
  tooFew: "아직 부족함",
  fewImages: "평가용 이미지가 20개 이상이면 표시됩니다.",
  within: (value, low, high) => `${value} (${low}–${high})`,
  interval: (count) => `괄호 안은 95% 구간, ${number(count)}개 기준`,
  ofChosen: (count) => `괄호 안은 95% 구간, 라운드가 고른 ${number(count)}개 기준`,
  goal: {
    title: "무엇을 원하시나요?",
    hint: "어떤 이미지를 물어볼지와 개요에 표시할 내용이 달라집니다. 나중에 바꿀 수 있습니다.",
    names: { best_model: "가장 좋은 모델", find_all: "내 이미지를 모두 찾기" },
    hints: {
      best_model:
        "클래스를 잘 구분하는 모델입니다. 모델이 가장 많이 배울 수 있는 이미지를 물어봅니다.",
      find_all: "클래스에 속한 모든 이미지입니다. 가능성이 가장 높은 이미지부터 물어봅니다.",
    },
    strategy: (strategy) => `전략: ${strategy}`,
    kept: (strategy) => `직접 선택한 전략을 그대로 사용합니다: ${strategy}`,
  },
  firstQueue: {
    label: "첫 이미지",
    hint: "아직 모델이 없는 첫 라운드에서 무엇을 물어볼지 정합니다. 무작위 이미지로 시작하고, 풀의 특징을 추출하면 아무도 보지 않은 이미지를 대표 이미지로 바꿉니다.",
    typical: "대표 이미지와 네 장 중 한 장의 무작위 이미지",
    random: "모두 무작위",
  },
  finding: {
    title: "얼마나 찾았나요?",
    found: (value) => `지금까지 찾은 이미지 ${number(value)}개`,
    left: (left, low, high) =>
      `풀에 약 ${left}개가 더 있습니다(95% 구간 ${low}–${high}). 첫 라운드의 무작위 이미지와 각 이미지에 대한 모델의 판단으로 추정한 값입니다.`,
    notEstimated:
      "클래스에 속한 이미지와 그렇지 않은 이미지가 모두 있는 라운드를 닫으면 남은 수를 추정합니다.",
    yield: (inside, answers, low, high) =>
      `라운드가 고른 이미지에 대한 최근 답변 ${answers}개 중 ${inside}개가 찾던 이미지였습니다(${low}–${high}).`,
    fewAnswers: (answers, needed) =>
      `답변 ${number(answers)}개로는 얼마나 더 찾을 수 있을지 알 수 없습니다. ${needed}개가 필요합니다.`,
    advice: {
      stop: "남은 이미지가 거의 없어, 한 라운드를 더 진행할 가치가 크지 않습니다.",
      go_on: "더 찾을 이미지가 있으며, 다음 답변에서 찾을 가능성이 높습니다.",
      unclear: "얼마나 남았는지 분명하지 않습니다.",
      unknown: "얼마나 남았는지 아직 알 수 없습니다.",
    },
  },
  cannotTell: {
    title: "이 모델은 이미지를 구분하지 못합니다.",
    text: (auroc) =>
      `클래스에 속한 이미지와 그렇지 않은 이미지가 하나씩 있을 때 100번 중 ${auroc}번만 맞힙니다. 추측만 해도 50번은 맞힙니다. 이 모델이 고른 이미지는 무작위로 고른 것과 거의 같습니다.`,
    change: (model) =>
      `설정에서 모델 ‘${model}’${particle(model, "을", "를").slice(model.length)} 선택하세요. 사진이라면 처음부터 가장 잘 구분합니다.`,
    larger:
      "구분할 부분이 작다면 모델이 이미지를 더 크게 보도록 하거나, 공개된 네트워크를 선택하세요. 눈으로 구분할 수 있는 이미지인지도 확인해 보세요.",
    settings: "설정으로",
  },
  oneClass: {
    accuracy: "클래스 여부 정확도",
    hint: "라운드마다 클래스에 속한 이미지와 그렇지 않은 이미지를 얼마나 구분했는지. 둘의 비중이 같아 추측하면 50%입니다",
    auroc: "클래스 여부 (AUROC)",
    none: "클래스에 속하지 않는 이미지도 “알려진 ‘없음’”으로 추가하고, 두 종류의 답변이 모두 쌓일 때까지 답하세요.",
  },
  time: {
    ask: "한 라운드에 얼마나 걸리나요?",
    asking: "이 컴퓨터에서 측정하는 중 …",
    about: (model, time, device) => `이 컴퓨터(${device})에서 ${model}: 한 라운드에 ${time}.`,
    once: (time) => `그 전에 한 번, 이미지를 처음 살펴보는 데 ${time} 걸립니다.`,
    failed: "측정하지 못했습니다.",
    noImages: "먼저 이미지를 가져오세요. 걸리는 시간은 그 이미지로 측정합니다.",
  },
};
