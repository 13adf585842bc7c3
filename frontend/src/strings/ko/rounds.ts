import type { Catalogue } from "../catalogue";
import { number, particle } from "./words";

const images = (value: number) => `이미지 ${number(value)}개`;

const paid = {
  budget: (budget: string) => `예산 ${budget} 안에서 판정할 수 있는 만큼`,
  lowest: (budget: string) =>
    `모든 판정의 가격이 더 낮은 쪽일 때 예산 ${budget} 안에서 판정할 수 있는 만큼`,
  time: (budget: string) => `판정이 평소보다 두 배 빨라도 ${budget} 동안 모자라지 않을 만큼`,
};

export const rounds: Catalogue["rounds"] = {
  title: (value) => `라운드 ${value}`,
  back: "개요",
  slider: "라운드",
  sliderHint: "←, → 키로 라운드 이동",
  previous: "이전 라운드",
  next: "다음 라운드",
  noRound: (value) => `이 프로젝트에는 ${particle(`라운드 ${value}`, "이", "가")} 없습니다.`,
  map: {
    title: "순도와 정보량",
    hint: (pool, queries) =>
      `이 라운드를 시작하기 전 모델이 본 풀의 ${images(pool)}와 그중 물어본 ${number(queries)}개입니다.`,
    label: (pool, queries, surface) =>
      `순도와 정보량으로 나타낸 ${images(pool)}의 지도, 질의 ${number(queries)}개. ${surface}`,
    none: "이 라운드에는 지도가 없습니다",
    noneFirst:
      "라운드 0의 이미지는 풀에 점수를 매길 모델이 생기기 전에 대표 이미지로 고르거나 무작위로 뽑습니다.",
    noneText:
      "이 라운드에서는 풀에 점수를 매기지 않았습니다. 모델이 없었거나 이미지를 아직 선정하는 중입니다.",
    purity: "순도",
    informativeness: "정보량",
    zoomIn: "확대",
    zoomOut: "축소",
    reset: "풀 전체",
    help: "끌어서 이동하고, Ctrl+휠이나 두 손가락으로 확대합니다. 이미지를 가리키면 표시되고 클릭하면 고정됩니다. 영역을 그리면(Shift+끌기도 가능) 안쪽의 이미지를 모두 볼 수 있습니다.",
    outline: "영역 그리기",
    inView: "화면 안의 이미지",
    ownAxes: "이 라운드만의 축 사용",
    closeTogether: (score, low, high) =>
      `이 라운드에서 ${score} 값은 ${low}에서 ${high}까지로, 다른 라운드에 비해 좁은 범위에 있습니다. 이미지를 거의 구별하지 못했거나 그때는 다른 점수였습니다.`,
    soOwnAxes: "그래서 이 라운드만의 축으로 그립니다.",
    sameOfAll: (score, value) =>
      `이 라운드의 모든 이미지에서 ${score} 값이 ${value}(으)로 같아 한 줄에 놓입니다.`,
    legend: "지도에 표시할 항목",
    pool: "풀",
    density: "풀의 밀도",
    surface: "등고선",
    boundary: "선정 경계",
    unanswered: "답변 없음",
    verdicts: { skip: "건너뜀", unsure: "불확실" },
    surfaces: {
      phi: "등고선은 MQ-Net의 Φ이며, 높을수록 먼저 물어봅니다.",
      sum: "등고선은 풀 전체로 정규화한 순도 + 정보량입니다.",
      product: "등고선은 풀 전체로 정규화한 순도 × 정보량입니다.",
      purity: "등고선은 순도이며, 가능성이 높은 이미지부터 물어봅니다.",
      informativeness: "등고선은 정보량입니다.",
      expected_value: "등고선은 예상 비용 대비 답변 하나의 예상 학습 효과입니다.",
    },
    exact: "점선은 선정 경계로, 마지막으로 물어본 이미지의 값입니다.",
    inexact: "전략이 뒤처진 클래스를 더 고려하므로, 점선은 그 과정이 없을 때의 경계입니다.",
    noSurface: (strategy) =>
      `${strategy} 전략은 이 두 점수로 정하지 않으므로 등고선과 경계가 없습니다.`,
    pins: "고정한 이미지",
    unpin: (name) => `${name} 고정 해제`,
    values: (purity, informativeness) => `순도 ${purity}, 정보량 ${informativeness}`,
    meta: (value) => `값 ${value}`,
    loading: "이미지를 불러오는 중…",
  },
  states: {
    unlabeled: "아직 안 봄",
    queried: "대기열",
    labeled: "라벨 있음",
    unsure: "불확실",
    held_out: "제외됨",
  },
  since: (now) => `현재: ${now}`,
  inside: {
    title: "영역 안의 이미지",
    hint: images,
    empty: "영역 안에 이미지가 없습니다.",
    close: "영역 지우기",
    more: "더 보기",
  },
  asked: {
    title: "이 라운드에서 물어본 이미지",
    hint: (total, shown) =>
      shown === total ? images(total) : `${images(total)} 중 ${number(shown)}개`,
    none: "이 라운드의 이미지는 아직 선정되지 않았습니다.",
    filtered: "지도 범례에서 모두 숨겼습니다.",
    changed: (changed, isClosed) =>
      isClosed
        ? `라운드가 닫힐 때의 판정입니다. 그 뒤 ${images(changed)}의 판정이 달라졌으며, 현재 판정을 함께 표시합니다.`
        : `그 뒤 판정이 달라진 ${images(changed)}에는 현재 판정을 함께 표시합니다.`,
    why: ({ by, budget, tail, before }) => {
      if (by === "pool") return "대기열: 풀에 남아 있던 이미지 전부입니다.";
      const added = [
        ...(tail ? ["모델이 학습하는 동안에도 라벨링할 수 있도록 그 절반"] : []),
        ...(before > 0 ? [`확인, 다시 묻기 또는 직접 보내기로 먼저 묻는 ${images(before)}`] : []),
      ].join("과 ");
      if (added === "") return `대기열: ${paid[by](budget)}입니다.`;
      return `대기열: ${paid[by](budget)}에 ${particle(added, "을", "를")} 더했습니다.`;
    },
  },
  facts: {
    title: "결과",
    verdicts: "판정",
    spent: "사용량",
    share: "클래스 비율",
    auroc: "찾는 클래스를 가려내는 정도",
    aurocHint:
      "이 라운드에서 클래스에 속한 이미지가 그렇지 않은 이미지보다 순도가 높았던 비율(순도의 AUROC)이며 0.5는 무작위와 같습니다. 선정된 이미지만 대상으로 하므로 풀 전체의 AUROC와는 다릅니다.",
    weight: "순도의 비중",
    weightHint:
      "이 라운드의 선정이 끝난 경계에서 잰 값입니다. 50%보다 높으면 찾는 클래스에 속하는지가, 낮으면 배울 것이 많은지가 더 크게 작용했습니다.",
    accuracy: "정확도",
    hours: "라벨러 시간",
    perClass: "클래스별 정확도",
    perClassPrecision: "클래스별 평균 정밀도",
    precision: {
      hint: "평가용 이미지에서 상자의 평균 정밀도를 IoU 0.5부터 0.95까지 평균한 값",
      map50: "mAP50",
      ar100: "AR",
      hints: {
        map50: "IoU 0.5에서의 평균 정밀도",
        ar100: "찾아낸 상자의 비율을 IoU 0.5부터 0.95까지 평균한 값",
      },
    },
    notes: "참고",
  },
  ranking: {
    hint: "사람이 행의 순서를 정하는 라운드이며, 학습하는 것은 없습니다.",
    asked: "물은 묶음",
    skipped: "건너뜀",
    time: "사람이 쓴 시간",
    toChosen: "고른 지시문",
  },
  phases: {
    title: "처리 시간",
    hint: (total) => `마지막 답변과 다음 이미지 사이의 작업 시간 ${total}`,
    none: "라운드가 닫히면 표시됩니다.",
  },
  settings: {
    title: "라운드 설정",
    hint: "라운드를 만들 때 고정된 값",
    kinds: {
      strategy: "전략",
      purity: "순도",
      informativeness: "정보량",
      model: "모델",
    },
    seed: "시드",
    defaults: "기본 파라미터",
    drawn: "라운드 0은 전략과 관계없이, 모델이 생기기 전에 정한 이미지를 묻습니다.",
  },
};
