import { locale } from "../language";
import { particle } from "./words";

/** 위치 찾기를 비교하고, 모델이 보는 곳을 보여 줍니다. */
export const localization = {
  title: "위치 찾기 비교",
  from: (inside: number, ood: number) =>
    `상자가 하나인 이미지 ${inside.toLocaleString(locale)}장과 어느 클래스도 아닌 이미지 ${ood.toLocaleString(locale)}장으로, 같은 시드와 같은 스텝 수로 학습했습니다.`,
  judged: (images: number) =>
    `어느 쪽도 보지 않은 평가 이미지 ${images.toLocaleString(locale)}장으로 판단했습니다.`,
  judgedHeldOut: (images: number) =>
    `평가 이미지가 없어 라벨된 이미지 ${images.toLocaleString(locale)}장을 판단용으로 남겨 두었습니다.`,
  few: "판단에 쓴 이미지가 너무 적어 몇 퍼센트의 차이는 우연입니다.",
  leftOut: (none: number, several: number, cropped: number) =>
    `제외: 상자가 없는 이미지 ${none.toLocaleString(locale)}장, 여럿인 이미지 ${several.toLocaleString(locale)}장, 상자가 모델이 보는 정사각형 밖에 대부분 놓인 이미지 ${cropped.toLocaleString(locale)}장.`,
  how: {
    cam: "네트워크는 클래스만 학습했고, 상자는 참 클래스의 클래스 활성화 맵에서 읽었습니다.",
    regression: "네트워크가 상자 자체를 학습했습니다.",
  },
  refused:
    "OAT는 비교하지 않았습니다. OAT는 어느 클래스도 아닌 이미지의 클래스 확률을 고르게 만드는데, 상자를 회귀하는 네트워크에는 클래스 확률이 없습니다.",
  methods: { standard: "일반 학습", oat: "OAT", taufe: "TAUFE" },
  guesses: { mean_box: "평균 상자", whole_image: "이미지 전체" },
  figures: "수치",
  figuresHint:
    "각 줄에서 가장 좋은 방법은 굵게 표시됩니다. 평균 상자와 이미지 전체는 보지 않고도 얻는 값입니다.",
  figure: "수치",
  iou: "평균 IoU",
  found: (overlap: string) => `찾음 (IoU ≥ ${overlap})`,
  gtKnown: (overlap: string, threshold: string) =>
    `GT-known Loc (IoU ≥ ${overlap}, 임계값 ${threshold})`,
  maxBoxAcc: "MaxBoxAcc (가장 좋은 임계값)",
  bestThreshold: "가장 좋은 임계값",
  accuracy: "클래스 정확도",
  constant: "봉우리가 없는 맵",
  maxNote:
    "가장 좋은 임계값은 판단용 이미지에서 고르므로, MaxBoxAcc는 실제로 얻는 값이 아니라 얻을 수 있는 값입니다.",
  curves: "곡선",
  byOverlap: "IoU별 찾은 비율",
  byOverlapHint: "참 상자와 적어도 이만큼(%) 겹치는 이미지의 비율",
  byThreshold: "임계값별 찾은 비율",
  byThresholdHint: "맵을 봉우리의 이 %에서 자를 때 찾는 비율",
  at: (x: number) => `${x}%`,
  images: "이미지",
  imagesHint: "판단용 이미지 일부입니다. 참 상자는 점선, 찾은 상자는 금색입니다.",
  method: "방법",
  shown: "표시",
  boxes: "상자",
  map: "상자와 맵",
  order: "순서",
  orders: { given: "무작위", worst: "나쁜 것부터", best: "좋은 것부터" },
  image: (name: string, iou: string) => `${name}, IoU ${iou}`,
  iouOf: (iou: string) => `IoU ${iou}`,
  more: "모두 보기",
  where: {
    action: "모델은 어디를 보나요?",
    key: "모델은 어디를 보나요? (W)",
    hide: "모델이 보는 곳 숨기기",
    class: "클래스",
    said: "모델이 말하는 것",
    looking: "워커가 살펴보는 중 …",
    says: (round: number, name: string, share: string) =>
      `라운드 ${round}의 모델은 ${name}에 ${share}를 줍니다.`,
    saysOther: (round: number, name: string, share: string, other: string) =>
      `라운드 ${round}의 모델은 ${name}에 ${share}를 주고, ${particle(other, "이라고", "라고")} 말합니다.`,
    hint: "밝은 곳이 그 클래스를 뒷받침합니다. 상자는 가장 큰 밝은 부분을 둘러쌉니다.",
    nothing: "눈에 띄는 곳이 없습니다.",
    alt: (image: string, name: string) => `${image}, 모델이 ${name}을(를) 보는 곳이 밝게 표시됨`,
  },
};
