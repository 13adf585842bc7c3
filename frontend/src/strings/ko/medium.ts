import type { Catalogue } from "../catalogue";

export const medium: Catalogue["setup"]["medium"] = {
  title: "무엇을 라벨링하나요?",
  titles: {
    image: "이미지",
    boxes: "이미지 속 물체",
    text: "텍스트",
    instructions: "언어 모델을 가르칠 지시문",
  },
  hints: {
    image:
      "이미지마다 클래스 하나. 사진, 스캔, 그림: 폴더, 압축 파일, Parquet, 버킷에서 가져옵니다.",
    boxes: "클래스에 속하는 것마다 상자를 그립니다: 거리의 자동차, 현미경 속 세포.",
    text: "리뷰, 문의, 게시물, 문서: 표, JSON Lines, Parquet, 파일에서 가져옵니다.",
    instructions: "언어 모델을 미세 조정할 질문과 답변: 쓸 만한 것만 골라 냅니다.",
  },
  textColumn: {
    label: "텍스트가 있는 열",
    hint: "표에 적힌 열 이름입니다. 가져오기 전에 비워 두면, 하나로 정해질 때 자동으로 찾습니다.",
    again: "이 열로 읽기",
  },
  names: {
    image: "들꽃의 꽃가루 매개자",
    boxes: "도로의 자전거",
    text: "고객 문의 분류",
    instructions: "우리 도우미가 배울 것",
  },
};
