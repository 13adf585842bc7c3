import type { Catalogue } from "../catalogue";
import { report } from "./report";
import { number, particle } from "./words";

export const guarantee: Catalogue["guarantee"] = {
  atMost: (of100) => `100개 중 최대 ${of100}개`,
  everyLook: (percent) => `몇 번을 확인하더라도 ${percent} 확실합니다.`,
  kind: { none: "어느 클래스도 아님" },
  strategies: { audit: "무작위 확인", certificate: "보증을 위한 확인" },
  setting: {
    share: "무작위 확인, 이미지의 %",
    shareHint:
      "사람에게 물어보는 이미지 중 이만큼을 무작위로 뽑습니다. 모델이 배우지 않으므로 모델이 얼마나 맞는지 알려 줍니다. 0이면 하지 않습니다.",
    learn: "모델이 붙인 라벨로도 학습",
    learnHint:
      "적용 중인 보증의 라벨입니다. 끄면 사람이 답한 것으로만 학습합니다. 모델의 실수를 다시 배우지 않아 더 안전합니다.",
  },
  draws: {
    title: "모델이 얼마나 맞나요?",
    hint: "무작위로 뽑은 이미지로 확인합니다. 모델은 이 이미지에서 배우지 않습니다.",
    says: (right, low, high) =>
      `아무도 보지 않은 이미지 100개 중 약 ${right}개에 모델이 맞는 라벨을 붙입니다. 적어도 ${low}개, 많아야 ${high}개입니다.`,
    all: "남은 이미지 전체",
    inside: "찾는 클래스",
    ood: "어느 클래스도 아님",
    evaluation: "평가용 이미지",
    evaluationHint: "라벨과 함께 직접 추가한 이미지입니다. 풀과 다를 수 있습니다.",
    right: "맞게 라벨링한 비율",
    answeredOf: (value) => `확인 ${number(value)}회`,
    oodShare: (share) => `남은 이미지 중 어느 클래스도 아닌 비율은 ${share}로 예상합니다.`,
    basis: (answered, round) =>
      `${particle(`라운드 ${round}`, "이", "가")} 닫힐 때까지 답한 확인 ${number(answered)}회 기준입니다.`,
    of: (value) => `아무도 고르지 않은 이미지 ${number(value)}개에 대한 값입니다.`,
    beyond: (value) => `나중에 추가된 이미지 ${number(value)}개에 대해서는 아직 알 수 없습니다.`,
    past: (value) =>
      `이전 확인 ${number(value)}회는 더 이상 세지 않습니다. 확인 대상이던 이미지 가운데 너무 많은 수가 그 뒤 사람이나 모델의 라벨을 받았거나 제외되었기 때문입니다.`,
    unsure: (value) => `그중 ${number(value)}회는 ‘불확실’이었고, 틀린 것으로 셉니다.`,
    waiting: (value) => `확인 ${number(value)}회가 답을 기다립니다.`,
    people: (pairs, disagreed, wrong, high) =>
      `같은 이미지를 두 번 물어본 ${number(pairs)}회 중 ${number(disagreed)}회에서 답이 달랐습니다. 사람의 판정은 100개 중 약 ${wrong}개, 많아야 ${high}개가 틀립니다.`,
    few: (answered, needed) =>
      `확인 ${number(answered)}회로는 알 수 없습니다. ${number(needed)}회가 필요합니다.`,
    none: "아직 무작위로 확인한 것이 없습니다.",
    later: "라운드가 닫히면 비율을 알려 드립니다.",
    every: (oneIn) =>
      `사람에게 물어보는 이미지 ${oneIn}개 중 약 하나가 이런 확인입니다. 어느 것인지는 아무도 모릅니다.`,
    off: "설정에서 무작위 확인이 꺼져 있습니다.",
    ask: "무작위로 더 확인하기",
    askHint: "몇백 개면 100개 중 몇 개 차이 안에서 비율을 알 수 있습니다.",
    number: "이미지 수",
    asked: (value, round) =>
      `무작위로 뽑은 이미지 ${number(value)}개를 라운드 ${round}에서 사람에게 물어봅니다.`,
    perClass: "클래스별로 보기",
  },
  start: {
    title: "나머지를 보증과 함께 라벨링하기",
    hint: "아무도 보지 않은 이미지는 모델이 라벨링합니다. 비슷한 이미지 묶음마다 일부를 무작위로 뽑아 사람이 확인하고, 틀린 라벨이 얼마나 되는지 알아냅니다. 보증할 수 없는 묶음은 사람에게 남깁니다.",
    wrong: "100개 중 틀려도 되는 최대 개수",
    other: "직접 입력",
    otherWrong: "100개 중 개수",
    confidence: "확실한 정도",
    promise: (of100) => `모델이 붙인 라벨 100개 중 틀린 것은 최대 ${of100}개입니다.`,
    odds: (kept, of) =>
      `이런 보증 ${of}개 중 ${kept}개는 지켜집니다. 확인할 이미지를 우연히 뽑으므로, 우연히 어긋날 수도 있습니다.`,
    more: "더 선택하기",
    scope: "보증하는 대상",
    scopes: { all: "모든 라벨을 합쳐서", class: "클래스마다 따로" },
    scopeHints: {
      all: "확인이 가장 적게 필요합니다. 드문 클래스는 보증보다 더 틀리고, 다른 클래스는 덜 틀릴 수 있습니다.",
      class:
        "클래스마다, 그리고 ‘어느 클래스도 아님’에서도 같은 수까지 틀릴 수 있습니다. 확인이 더 많이 필요합니다.",
    },
    missed: "‘어느 클래스도 아님’ 100개 중 실제로는 클래스에 속해도 되는 최대 개수",
    missedHint: "찾는 이미지인데 제쳐 두게 되는 것입니다. 비우면 위와 같은 수입니다.",
    budget: "답변의 최대 개수",
    budgetHint:
      "이보다 많이 필요한 묶음은 사람에게 남깁니다. 비우면, 확인하는 일이 라벨링보다 적은 한 필요한 만큼 물어봅니다.",
    overlap: "확인 하나당 사람 수",
    overlapHint: "두 명이면 사람이 얼마나 틀리는지 알 수 있고, 보증에 반영합니다.",
    action: "시작",
    measure: "얼마나 필요한가요?",
    measuring: "재는 중 …",
    expected: {
      never:
        "이 보증으로는 아무것도 라벨링할 수 없습니다. 남은 것이 너무 적거나 모델의 확신이 부족합니다. 더 적게 보증하거나 남은 것을 사람이 라벨링하세요.",
      inVain: (of100, checks) =>
        `이 보증으로는 100번 중 약 ${of100}번 아무것도 라벨링하지 못하며, ${checks} 뒤에 알 수 있습니다. 남은 것이 너무 적거나 모델의 확신이 부족합니다. 더 적게 보증하거나 남은 것을 사람이 라벨링하세요.`,
      less: (of100, checks, auto) =>
        `100개 중 최대 ${of100}개까지 틀려도 된다면 ${checks}로 이미지 약 ${number(auto)}개를 라벨링할 수 있습니다.`,
      checks: (about, low, high) =>
        low === high
          ? `확인 약 ${number(about)}회`
          : `확인 약 ${number(about)}회(${number(low)}~${number(high)}회)`,
      takes: (checks, auto) => `${checks}로 이미지 약 ${number(auto)}개를 라벨링할 수 있습니다.`,
      ofNone: "어느 클래스도 아닌 것",
      left: (names) => {
        const shown = names.slice(0, 6).join(", ");
        const more = names.length - 6;
        return `사람에게 남을 가능성이 높은 것: ${shown}${more > 0 ? ` 외 ${number(more)}개` : ""}`;
      },
      mayFail: (of100) => `100번 중 약 ${of100}번은 아무것도 라벨링하지 못합니다.`,
      order: "확인은 다른 무엇보다 먼저 물어보며, 그 비용은 라운드의 예산에 더해집니다.",
      hedge: "모델이 맞는 비율은 모델의 확신보다 낮거나 높을 수 있습니다.",
    },
    nothing: "아무도 보지 않은 이미지가 남아 있지 않습니다.",
    open: "진행 중인 보증이 있습니다. 준비가 끝나거나 그만두면 다른 보증을 시작할 수 있습니다.",
    earlier: "보증 목록",
    showEarlier: "이전 보증 보기",
    line: (of100, sure) => `100개 중 최대 ${of100}개 틀림, ${sure} 확실`,
    stalled: "지금은 진행되지 않습니다. 이유는 보증 페이지에 나옵니다.",
    lineStates: {
      scoring: () => "모델이 이미지를 살펴보고 있습니다.",
      asking: (answered, more, waiting) => {
        const expected = more === null ? "" : `, 약 ${number(more)}회 더 필요`;
        const now = waiting === 0 ? "없습니다" : `${number(waiting)}개입니다`;
        return `확인 ${number(answered)}회 답함${expected}. 지금 답을 기다리는 것은 ${now}.`;
      },
      ready: (auto) => `이미지 ${number(auto)}개를 라벨링할 수 있습니다.`,
      applying: () => "모델의 라벨을 붙이고 있습니다.",
      applied: (auto) => `모델이 이미지 ${number(auto)}개를 라벨링했습니다.`,
      revoking: () => "라벨을 되돌리고 있습니다.",
      revoked: () => "이 라벨은 더 이상 쓰이지 않습니다.",
      refused: () => "아무것도 라벨링하지 않았습니다.",
    },
  },
  states: {
    scoring: "준비 중",
    asking: "확인 중",
    ready: "준비됨",
    applying: "라벨링 중",
    applied: "사용 중",
    revoking: "되돌리는 중",
    revoked: "되돌림",
    refused: "불가능",
  },
  page: {
    stalled: "지금은 진행되지 않습니다.",
    back: "개요",
    title: (id) => `보증 ${id}`,
    promise: (of100, sure) => `모델이 붙인 라벨 100개 중 최대 ${of100}개 틀림, ${sure} 확실.`,
    begun: (when, who) => (who === null ? `${when} 시작` : `${when} ${who} 님이 시작`),
    scopeClass: "클래스마다, 그리고 ‘어느 클래스도 아님’에서도 그렇습니다.",
    fromJob: (what) =>
      `이미지를 묶었습니다. 확인이 어떻게 되고 있는지, 무엇을 라벨링할 수 있는지는 ${what}에 나옵니다.`,
    scoring: "모델이 이미지를 살펴보고 있습니다",
    scoringHint:
      "이미지마다 무엇인지, 얼마나 확실한지 판단합니다. 그런 다음 비슷한 것끼리 묶습니다.",
    toJob: "작업 보기",
    asking: "사람이 확인하고 있습니다",
    answers: "답한 확인",
    ofAbout: (answered, about) => `약 ${number(about)}회 중 ${number(answered)}회`,
    only: (answered) => `${number(answered)}회`,
    where: (round) =>
      `확인할 이미지는 라운드 ${round}의 다른 이미지와 섞여 있습니다. 따로 표시하지 않으며, 가져온 예측도 함께 보여 주지 않습니다.`,
    waiting: (value) =>
      value === 0
        ? "지금은 답을 기다리는 것이 없습니다. 다음 확인은 뽑히고 라운드가 열리면 나옵니다."
        : `지금 ${number(value)}개가 답을 기다립니다.`,
    closing: "라운드를 닫는 중입니다. 끝나면 이어집니다:",
    label: "라벨링",
    stop: "그만두기",
    stopTitle: "이 보증을 그만둘까요?",
    stopText:
      "더 이상 확인을 요청하지 않습니다. 사람이 한 답은 그 이미지의 라벨로 그대로 남습니다.",
    labeling: "라벨을 붙이고 있습니다",
    labelingHint: "조금씩 나누어 진행하며, 그동안에도 사람이 라벨링할 수 있습니다.",
    takingBack: "라벨을 되돌리고 있습니다",
    done: "진행",
    ready: (auto) => `이미지 ${number(auto)}개에 대해 보증할 수 있습니다`,
    readyHint: "아직 아무것도 라벨링하지 않았습니다. 무엇이 라벨링되는지 살펴본 뒤 적용하세요.",
    apply: "라벨링하기 …",
    applied: (auto) => `이미지 ${number(auto)}개에 모델의 라벨이 있습니다`,
    appliedHint:
      "사람의 답으로 세지 않으며, 누군가 이미지를 판정하면 그 판정이 모델의 라벨을 대신합니다.",
    showThem: "이미지 보기",
    revoke: "되돌리기",
    revokeTitle: (auto) => `모델의 라벨 ${number(auto)}개를 되돌릴까요?`,
    revokeText:
      "그사이 누군가 판정한 것을 빼고, 이미지가 다시 라벨 없는 상태가 됩니다. 사람이 한 말은 그대로 남습니다.",
    refused: "보증할 수 없었습니다",
    revoked: "되돌렸습니다. 이 라벨은 더 이상 쓰이지 않습니다.",
    outcome: "이미지가 어떻게 되나요",
    outcomeHint: (value) => `시작할 때 아무도 보지 않은 이미지 ${number(value)}개`,
    parts: {
      auto: "모델이 라벨링",
      looked: "사람이 확인함",
      open: "확인 중",
      people: "사람에게 남김",
    },
    bound: "그중 틀린 라벨",
    boundHint: (wrong, of) => `${number(of)}개 중 ${number(wrong)}개`,
    missed: "실제로는 클래스에 속함",
    missedHint: "모델이 ‘어느 클래스도 아님’이라고 한 이미지 가운데",
    expected: "앞으로 필요한 확인",
    about: (value) => `약 ${value}회`,
    human: (pairs, disagreed, high) =>
      `두 사람이 같은 이미지를 ${number(pairs)}회 판정했고 ${number(disagreed)}회는 서로 달랐습니다. 판정은 100개 중 많아야 ${high}개가 틀리며, 보증에 반영했습니다.`,
    report: "보고서",
    reportHint:
      "무엇을 보았고, 무엇을 보증하며, 무엇에 근거하는지 담았습니다. 인쇄하거나 전달하세요.",
    toReport: "읽기",
    json: "JSON으로 받기",
  },
  lots: {
    title: "묶음",
    hint: "모델이 같은 것으로, 비슷한 확신으로 본 이미지입니다. 가장 확실한 것부터 시도합니다.",
    columns: {
      group: "모델의 판단",
      images: "이미지",
      checked: "확인",
      wrong: "틀림",
      bound: "100개 중 최대 틀림",
      state: "상태",
    },
    states: { passed: "보증됨", people: "사람에게 남김", open: "확인 중" },
    band: (low, high) => `${low}–${high}% 확신`,
    unsure: (value) => `불확실 ${number(value)}회`,
    together:
      "틀릴 수 있는 수는 한 클래스에서 보증된 묶음을 모두 합친 것이며, 묶음 하나에서는 더 많이 틀릴 수 있습니다.",
    target: (of100) => `세로줄은 요청한 값인 ${of100}개입니다.`,
  },
  applying: {
    title: (auto) => `이미지 ${number(auto)}개를 라벨링할까요?`,
    text: "풀과 내보낸 파일에 모델의 라벨이라고 표시됩니다. 모델이 여기서 배우지 않고, 누구의 답으로도 세지 않으며, 한 번에 모두 되돌릴 수 있습니다.",
    class: "클래스",
    images: "이미지",
    left: (people) => `이미지 ${number(people)}개는 사람에게 남깁니다.`,
    action: "라벨링",
  },
  report,
};
