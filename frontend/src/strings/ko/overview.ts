import type { Catalogue } from "../catalogue";
import { firstSteps } from "./firstSteps";
import { rankingOverview } from "./rankingOverview";
import { number, particle } from "./words";

export const overview: Catalogue["overview"] = {
  tab: "개요",
  firstSteps,
  ranking: rankingOverview,
  pause: "일시 중지",
  resume: "재개",
  another: "라운드 추가",
  closeRound: "라운드 닫기",
  closeConfirm: (value) => `${particle(`라운드 ${value}`, "을", "를")} 지금 닫을까요?`,
  closeEmptyText:
    "이 라운드에는 아직 답변이 없어 모델이 새로 배울 것이 없습니다. 다음 이미지는 지금까지 학습한 내용으로 선정합니다.",
  closeText:
    "지금까지 모인 답변으로 모델을 학습하고 다음 이미지를 선정합니다. 남은 예산은 사용하지 않습니다.",
  importMore: "이미지 가져오기",
  export: "내보내기",
  exports: {
    csv: "라벨 내보내기 (CSV)",
    jsonl: "라벨 내보내기 (JSON Lines)",
    imagefolder: "라벨링된 이미지 폴더 (zip)",
  },
  allExports: "다른 형식: Label Studio, COCO, Parquet …",
  pool: "풀",
  heldOut: (count) => `제외됨 ${number(count)}개`,
  evaluation: (count) => `평가용 ${number(count)}개`,
  now: "현재",
  latestAccuracy: "최근 정확도",
  foundWell: "물체를 찾아내는 정도",
  latest: (name) => `최근 ${name}`,
  roundIs: {
    selecting: "이번 라운드의 이미지를 선정하고 있습니다",
    open: "이미지를 라벨링할 수 있습니다",
    closing: "모델이 답변을 학습하고 있습니다",
    closed: "완료",
    failed: "작업이 실패했습니다",
  },
  roundPaused: "프로젝트가 일시 중지되어 이미지를 묻지 않습니다",
  rounds: "라운드",
  noRounds: "아직 라운드가 없습니다",
  noRoundsText: "프로젝트를 시작하면 첫 라운드가 바로 열립니다.",
  plansWait: (names) =>
    names.length === 1
      ? `가져오기 ‘${names[0]}’: 답을 기다리고 있습니다. 아직 저장된 것은 없습니다.`
      : `가져오기 ${names.length}건이 답을 기다리고 있습니다. 아직 저장된 것은 없습니다: ${names.join(", ")}`,
  toPlan: "가져오기 계획 보기",
  columns: {
    round: "라운드",
    state: "상태",
    strategy: "전략",
    spent: "사용량",
    in: "찾는 클래스",
    unsure: "불확실",
    share: "클래스 비율",
    accuracy: "정확도",
    training: "학습 시간",
  },
  curves: {
    title: "학습 곡선",
    compare: "비교",
    compareHint:
      "클래스가 같은 프로젝트입니다. 전략이 같은 실행은 곡선 하나(평균 ± 표준편차)로 묶습니다. 같은 풀에서 시드만 다른 실행은 처음부터 선택되어 있습니다.",
    candidate: (strategy, seed, samePool) =>
      `${strategy}, 시드 ${seed}${samePool ? "" : ", 다른 풀"}`,
    runsOf: (strategy, runs) => `${strategy}, ${runs}회 실행`,
    auroc: "찾는 클래스를 가려내는 정도",
    aurocHint:
      "물어본 이미지 중 찾는 클래스의 이미지가 아닌 이미지보다 더 그럴듯하게 여겨진 비율(순도의 AUROC). 0.5는 무작위와 같습니다",
    noAuroc: "모델이 선정한 라운드에 두 종류의 답변이 모두 있으면 표시됩니다.",
    spent: (cost, time) =>
      `지금까지 비용 ${cost}, 라벨러 시간 ${particle(time, "을", "를")} 사용했습니다.`,
    accuracy: "정확도",
    accuracyHint: "라운드마다 평가용 이미지로 측정",
    noEvaluation:
      "라벨이 있는 평가용 이미지로 그립니다. 없으면 모델이 얼마나 맞는지는 무작위 확인으로 알 수 있습니다.",
    noBoxes: "상자가 있는 평가용 이미지를 추가하면 얼마나 잘 찾는지 표시됩니다.",
    noAccuracy: "다음 라운드를 닫을 때 측정합니다.",
    share: "라운드별 클래스 비율",
    shareHint:
      "각 라운드가 고른 이미지 중 클래스에 속한 이미지의 비율(확인용 이미지와 직접 보낸 이미지 제외)",
    poolShare: "풀 전체 (라운드 0의 무작위 이미지로 추정)",
    cost: "비용",
    costHint: "라운드마다 사용한 비용",
    weight: "순도의 비중",
    weightHint:
      "라운드마다 선정이 끝나는 경계에서 잰 값. 가운데보다 높으면 찾는 클래스에 속하는지가, 낮으면 배울 것이 많은지가 더 크게 작용합니다",
    weightEven: "둘의 비중이 같음",
    round: (value) => `라운드 ${value}`,
    empty: "첫 라운드가 끝나면 표시됩니다.",
    tooFew: (answers) => `답변이 ${answers}개 이상인 라운드가 끝나면 나타납니다.`,
  },
  firstQueue: "첫 이미지 준비",
  job: {
    advance_round: "학습 및 다음 이미지 선정",
    certify: "보증과 함께 라벨링",
    import_pool: "이미지 가져오기",
    learn_features: "특징 학습",
    taufe: "정규화 방법 비교",
    prune: "라벨 선별",
    relabel: "재라벨링",
    score_part: "풀 일부의 점수 계산",
    resize: "이미지 크기 바꾸기",
    embedding_map: "지도 만들기",
    compare: "이미지 비교",
    look_up: "파일 살펴보기",
    localize: "위치 찾기 비교",
    select_instructions: "지시문 고르기",
    look_at: "이미지 살펴보기",
  },
  jobRunning: "실행 중",
  jobQueued: "워커를 기다리는 중",
  jobEta: (time) => `약 ${time} 남음`,
  jobFailed: "작업이 실패했습니다",
  jobRefined: {
    warm_start: "라운드의 이미지는 라벨링할 수 있습니다. 모두 무작위로 뽑은 이미지입니다.",
    propose_more: "라운드의 이미지는 라벨링할 수 있습니다. 상자는 앞쪽 이미지에만 제안됩니다.",
  },
  step: (step, steps) => `${number(step)} / ${number(steps)}`,
  cancelJob: "취소",
  agreement: {
    title: "일치도",
    hint: (images) =>
      `판정이 둘 이상인 이미지 ${number(images)}개 기준입니다. 같은 판정을 내린 쌍의 비율과 크리펜도르프 알파(우연히 일치하는 수준이면 0)를 보여 줍니다.`,
    disagreements: (images) => `이미지 ${number(images)}개에서 판정이 서로 엇갈립니다.`,
    decide: "결정하기",
    who: "라벨러",
    everybody: "전체",
    votes: "판정",
    inOod: "클래스 여부",
    classes: "클래스",
    alpha: "α",
    boxes: "상자",
    proposals: {
      title: "제안된 상자",
      hint: "모델이 제안한 상자를 라벨러가 어떻게 처리했는지 보여 줍니다. 겹침은 조정한 상자와 제안이 겹치는 정도입니다.",
      shown: "제안",
      kept: "유지",
      adjusted: "조정",
      rejected: "거부",
      overlap: "겹침",
      seconds: "상자당",
      shifted: "어긋난 제안 유지",
      of: (kept, shown) => (shown === 0 ? "–" : `${number(shown)}개 중 ${number(kept)}개`),
    },
  },
  outlook: {
    title: "한 라운드 더 진행할까요?",
    chips: { stop: "중단 권장", go_on: "계속 권장", unclear: "불분명", unknown: "판단 전" },
    advice: {
      stop: "한 라운드를 더 진행해도 효과가 크지 않을 것으로 보입니다.",
      go_on: "한 라운드를 더 진행할 가치가 있습니다.",
      unclear: "한 라운드를 더 진행할 가치가 있는지 분명하지 않습니다.",
      unknown: "한 라운드를 더 진행할 가치가 있는지 아직 판단할 수 없습니다.",
    },
    gain: (gain, low, high, verdicts, more) =>
      `지금까지의 학습 곡선에 따르면 다음 판정 ${number(verdicts)}개로 클래스 라벨 ${number(more)}개가 생기고 정확도가 ${gain} 오릅니다(80% 구간 ${low}–${high}).`,
    perVerdicts: (gain, low, high) => `판정 100개당 ${gain}입니다(${low}–${high}).`,
    needed: (least) => `${least} 이상 오르면 그만한 가치가 있습니다.`,
    fewLabels: (more, verdicts, high, least) =>
      `다음 판정 ${number(verdicts)}개로 생길 클래스 라벨은 ${number(more)}개로 예상되며, 정확도는 많아야 ${high} 오릅니다. ${least} 이상 올라야 그만한 가치가 있습니다.`,
    noLabels:
      "지난번과 같은 라운드를 한 번 더 진행해도 클래스 라벨이 생기지 않을 것으로 보이므로, 정확도도 오르지 않을 것입니다.",
    ceiling: (least) =>
      `정확도가 한계에 가깝습니다. 한 라운드를 더 진행해도 ${least}만큼 오를 것으로 보이지 않으므로, 이제 라벨을 더해도 거의 도움이 되지 않습니다.`,
    evaluation: (accuracy, examples) =>
      `현재 정확도는 평가용 이미지 ${number(examples)}개 기준 ${accuracy}입니다(괄호는 95% 구간).`,
    draws: (accuracy, examples) =>
      `현재 정확도는 무작위로 뽑은 이미지 ${number(examples)}개 기준 ${accuracy}입니다(괄호는 95% 구간).`,
    noBoxes:
      "물체를 얼마나 잘 찾는지 아직 모릅니다. 상자가 있는 평가용 이미지를 추가하고 라운드를 닫으세요.",
    boxes: "물체를 얼마나 잘 찾는지는 라운드를 닫을 때 측정하며, 아래 학습 곡선에 나옵니다.",
    noEvaluation: (needed, ask) =>
      `아직 정확도가 없습니다. 라운드를 닫을 때 클래스에 속한 이미지의 무작위 확인 ${needed}회(‘${ask}’)나 라벨이 있는 평가용 이미지로 측정합니다.`,
    noAccuracy: "아직 정확도가 없습니다. 라운드를 닫을 때 평가용 이미지로 측정합니다.",
    fewRounds: (rounds, needed) =>
      `정확도가 있는 라운드는 ${rounds}개이며, 학습 곡선에는 ${needed}개가 필요합니다.`,
    inShare: (last, best, inside, answers) =>
      best === null
        ? `마지막 라운드가 고른 이미지에 대한 답변 ${answers}개 중 클래스에 속한 것은 ${inside}개(${last})입니다. 더 높았던 라운드는 없습니다.`
        : `마지막 라운드가 고른 이미지에 대한 답변 ${answers}개 중 클래스에 속한 것은 ${inside}개(${last})이고, 가장 높았던 라운드는 ${best}입니다.`,
    pool: (round, unlabeled, inside, most) =>
      `${particle(`라운드 ${round}`, "을", "를")} 닫을 때 라벨이 없던 풀의 이미지 ${number(unlabeled)}개 중 클래스에 속한 것은 약 ${inside}개이고 많아야 ${most}개로 예상됩니다.`,
    poolUnknown: (unlabeled) =>
      `풀에서 라벨이 없는 이미지는 ${number(unlabeled)}개입니다. 그중 몇 개가 클래스에 속하는지 알기에는 아직 답변이 너무 적습니다.`,
  },
  oodLeft: {
    title: "풀에 남은 ‘어느 클래스도 아님’",
    none: "첫 라운드가 닫히면 추정합니다.",
    hint: (round) => `${particle(`라운드 ${round}`, "을", "를")} 닫을 때 추정한 값`,
    few: (basis, answers, needed) =>
      `${basis}: 답변이 ${answers}개뿐이라 아직 알 수 없습니다. ${needed}개가 필요합니다.`,
    of: (unlabeled) => `라벨 없는 이미지 ${number(unlabeled)}개 중`,
    interval: (low, high) => `95% 구간 ${low}–${high}`,
    byRandom: "라운드 0의 무작위 이미지 기준",
    byPurity: "최근 답변으로 확인한, 이미지별 모델 판단 기준",
    row: (count, low, high, answers) => `${count} (${low}–${high}), 답변 ${number(answers)}개 기준`,
    bias: "라운드의 이미지는 선정된 것이므로 이를 기준으로 확인한 모델 판단은 나머지 이미지에 맞지 않을 수 있습니다. 라운드 0의 무작위 이미지는 그런 치우침이 없지만 수가 적습니다.",
    disagree:
      "두 추정이 서로 다릅니다. 모델은 묻지 않은 이미지에 대해 알려 주는 것이 적으므로 무작위 이미지로 추정한 값을 표시합니다.",
  },
};
