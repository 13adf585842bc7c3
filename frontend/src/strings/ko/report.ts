import type { Catalogue } from "../catalogue";
import { number } from "./words";

/** What is handed to whoever has to rely on the labels. */
export const report: Catalogue["guarantee"]["report"] = {
  title: "라벨 보고서",
  back: "보증으로 돌아가기",
  print: "인쇄",
  json: "JSON으로 받기",
  made: (when) => `${when} 작성`,
  promise: "무엇을 보증하나요",
  promised: (wrong, of, of100, sure) =>
    `모델이 붙인 라벨 ${number(of)}개 중 틀린 것은 최대 ${number(wrong)}개입니다. 100개 중 ${of100}개이며, ${sure} 확실합니다.`,
  asked: (of100, sure) => `요청한 것은 100개 중 최대 ${of100}개, ${sure} 확실입니다.`,
  notYet: "사람이 아직 확인하고 있어, 보증하는 것이 없습니다.",
  notApplied: "이 라벨은 아직 사용하지 않습니다.",
  revoked: "이 라벨은 되돌려져 더 이상 쓰이지 않습니다.",
  refused: "보증하는 것이 없으며, 아무것도 라벨링하지 않았습니다.",
  missed: (wrong, of, of100) =>
    `모델이 어느 클래스도 아니라고 제쳐 둔 이미지 ${number(of)}개 중 실제로 클래스에 속하는 것은 최대 ${number(wrong)}개입니다. 100개 중 ${of100}개입니다.`,
  peopleLabels: "사람이 붙인 라벨은 포함하지 않으며, 여기서 보증하지 않습니다.",
  looked: "무엇을 보았고, 무엇을 보지 않았나요",
  rows: {
    images: "풀의 이미지",
    people: "사람이 판정함",
    learned: "그중 모델이 배운 것",
    drawn: "이 보증을 위해 무작위로 뽑아 확인함",
    auto: "모델이 라벨링했고 아무도 보지 않음",
    left: "라벨 없이 사람에게 남김",
  },
  perClass: "클래스별로",
  byPeople: "사람",
  byModel: "모델",
  bound: "100개 중 최대 틀림",
  boundHint: "클래스마다 따로 보증한 경우, 모델이 붙인 라벨에서.",
  how: "어떻게 확인했나요",
  howText:
    "모델이 아무도 보지 않은 이미지를 무엇으로 보는지, 얼마나 확실한지에 따라 묶었습니다. 가장 확실한 묶음부터 일부를 무작위로 뽑아 사람에게 보였고, 사람은 그것이 확인이라는 것을 몰랐습니다. 둘이 얼마나 자주 다른지를 보면 틀린 라벨이 최대 몇 개인지 알 수 있습니다. 너무 많이 틀릴 수 있거나 너무 작아 알 수 없는 묶음은 사람에게 남겼습니다.",
  human: (pairs, disagreed, wrong, high) =>
    `사람도 틀릴 때가 있습니다. 이미지 ${number(pairs)}개를 서로 다른 두 사람이 판정했고 ${number(disagreed)}개에서 답이 달랐습니다. 판정은 100개 중 약 ${wrong}개, 많아야 ${high}개가 틀리며, 이를 반영했습니다.`,
  humanNone:
    "두 사람이 판정한 이미지가 너무 적어 사람이 얼마나 틀리는지는 재지 않았습니다. 확인에 맞게 답했다면 보증이 지켜집니다.",
  basis: "무엇에 근거하나요",
  assumptions: {
    draws_uniform:
      "어느 이미지를 확인할지는 우연에만 맡겼습니다. 한 묶음 안에서는 모든 이미지가 똑같이 뽑힐 수 있었습니다.",
    every_look:
      "언제든 결과를 보고 일찍 멈출 수 있었습니다. 이를 계산에 넣었으므로, 자주 보아도 보증이 약해지지 않습니다.",
    same_pool:
      "그때 이 풀에 있던 이미지에 대한 것입니다. 나중에 들어오거나 다른 곳에서 온 이미지는 보증하지 않습니다.",
    model_fixed:
      "모든 라벨은 같은 모델 하나가 붙였으며, 그 모델은 확인 결과를 세기 전에 그것을 배우지 않았습니다.",
    earlier_draws:
      "확인 가운데 일부는 이전 라운드의 무작위 확인이며, 모델이 바로 이 확인에서 잘했기 때문에 시작한 것은 아니라고 봅니다. 여러 모델 가운데 처음으로 잘한 모델에서 시작했다면 보증은 말한 것보다 자주 깨집니다.",
    unsure_counts_wrong: "사람이 ‘불확실’이라고 답한 것은 모델의 라벨이 틀린 것으로 셌습니다.",
    people_error_measured:
      "사람이 얼마나 틀리는지는 두 사람이 판정한 이미지로 추정했습니다. 서로, 그리고 모델과 무관하게 틀린다고 봅니다. 모델이 같은 것으로 본 이미지끼리 모아 보여 주는 격자에서도 그렇습니다. 모두가 똑같이 틀리면 알아차리지 못합니다.",
    people_right:
      "확인한 사람은 맞게, 보이는 대로 답했다고 봅니다. 격자에서는 모델이 같은 것으로 본 이미지끼리 모여 있습니다.",
    each_lot: "클래스마다 따로 지켜집니다.",
    all_together:
      "모델이 붙인 모든 라벨을 합친 것에 대한 보증이며, 클래스마다는 아닙니다. 한 클래스는 더 틀리고 다른 클래스는 덜 틀릴 수 있습니다.",
  },
  versions: "버전",
  digests: "지문",
  digestsHint: "라벨을 만든 자료의 SHA-256입니다. 자료와 모델과 설정이 같으면 지문도 같습니다.",
  versionNames: { karat: "Karat", model: "모델", round: "모델의 라운드", certificate: "보증" },
  digestNames: { model: "모델", data: "이미지", settings: "설정" },
};
