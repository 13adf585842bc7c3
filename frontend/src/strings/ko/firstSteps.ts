import type { Catalogue } from "../catalogue";

export const firstSteps: Catalogue["overview"]["firstSteps"] = {
  title: "첫 단계",
  atRandom: "처음에는 무작위 이미지가 나옵니다.",
  steps: {
    images: {
      title: "이미지 추가",
      text: "폴더나 압축 파일을 넣으세요. 확인하기 전에는 아무것도 저장하지 않습니다.",
    },
    classes: { title: "클래스 이름 정하기", text: "찾으려는 것만 적으세요." },
    evaluation: {
      title: "평가용 이미지 추가",
      text: "정확도를 재는 데 쓸, 라벨이 있는 이미지입니다. 나중에 해도 됩니다.",
    },
    label: { title: "라벨링 시작", text: "처음에는 대표 이미지와 무작위 이미지가 나옵니다." },
    round: {
      title: "첫 라운드 마치기",
      text: "그러면 모델이 학습하고 다음에 물을 이미지를 고릅니다.",
    },
    rows: {
      title: "지시문 추가",
      text: "Alpaca, 대화, ShareGPT 형식의 JSON Lines, JSON, Parquet 파일입니다.",
    },
    choose: {
      title: "가르칠 만한 것 고르기",
      text: "비슷한 것끼리 판정 모델이 순서를 정하고, 확실하지 않은 것은 사람이 정합니다.",
    },
  },
};
