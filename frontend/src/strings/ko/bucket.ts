import type { bucket as english } from "../en/bucket";

export const bucket: typeof english = {
  open: "버킷에서 가져오기",
  title: "원래 위치에 그대로 두는 이미지",
  text: "Karat은 이미지를 한 번만 읽고 사본을 저장하지 않습니다. 폴더와 metadata.csv는 zip에서와 같은 뜻입니다.",
  location: "위치",
  locationHint: (places) => `${places.join(", ")} 또는 그 아래 경로를 입력하세요.`,
  include: "이런 경로만",
  includeHint:
    "여러 개면 쉼표로 구분하며 *는 아무 글자나 뜻합니다. 비워 두면 이름이 이미지인 파일을 모두 가져옵니다.",
  table: "또는 이미지 목록 표",
  tableHint:
    "위치 아래에 있는 CSV, JSONL 또는 Parquet 파일의 경로입니다. 경로는 key 열에 적고, 필요하면 split, label 등의 열을 둡니다.",
  includeExample: "예: */2024/*.jpg",
  tableExample: "예: images.csv",
  start: "가져오기",
};
