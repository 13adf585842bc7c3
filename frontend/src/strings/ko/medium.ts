import type { Catalogue } from "..";

export const medium: Catalogue["setup"]["medium"] = {
  title: "무엇을 라벨링하나요?",
  titles: { image: "이미지", text: "텍스트" },
  hints: {
    image: "사진, 스캔, 그림: 폴더, 압축 파일, Parquet, 버킷에서 가져옵니다.",
    text: "리뷰, 문의, 게시물, 문서: 표, JSON Lines, Parquet, 파일에서 가져옵니다.",
  },
  textColumn: {
    label: "텍스트가 있는 열",
    hint: "표에 적힌 열 이름입니다. 가져오기 전에 비워 두면, 하나로 정해질 때 자동으로 찾습니다.",
    again: "이 열로 읽기",
  },
  names: { image: "들꽃의 꽃가루 매개자", text: "고객 문의 분류" },
};
