import type { Catalogue } from "../catalogue";

export const groups: Catalogue["setup"]["groups"] = {
  recommended: { title: "추천", hint: "새 프로젝트의 기본값입니다." },
  both: { title: "순도와 정보량", hint: "일부 이미지가 어느 클래스도 아닌 풀에 적합합니다." },
  informativeness: {
    title: "정보량만",
    hint: "깨끗한 풀에 적합합니다. 어느 클래스도 아닌 이미지도 똑같이 물어봅니다.",
  },
  diversity: {
    title: "다양성",
    hint: "깨끗한 풀에 적합합니다. 풀 전체에서 고르게 뽑습니다.",
  },
  baseline: { title: "기준선", hint: "비교할 때 사용합니다." },
  features: { title: "특징 기반", hint: "이미 라벨이 있는 이미지와 비교합니다." },
  outputs: { title: "모델 출력 기반", hint: "이미지에 대한 모델의 출력을 봅니다." },
  names: { title: "클래스 이름 기반", hint: "첫 답변 전에도 사용할 수 있습니다." },
  scratch: {
    title: "처음부터 학습",
    hint: "다른 곳에서 배운 것 없이 풀이나 답변만으로 학습합니다.",
  },
  published: {
    title: "공개된 네트워크",
    hint: "다른 곳에서 미리 학습한 것입니다. 함께 설치된 것은 내려받지 않고, 나머지는 가중치를 한 번 내려받습니다.",
  },
  other: { title: "기타", hint: "설치된 다른 패키지에서 제공합니다." },
};
