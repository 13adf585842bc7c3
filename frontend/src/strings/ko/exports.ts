import type { Catalogue } from "../catalogue";
import { number } from "./words";

const SHOWN = 10;

const listed = (names: string[]): string => {
  const more = names.length - SHOWN;
  const shown = names.slice(0, SHOWN).map((name) => `‘${name}’`);
  return shown.join(", ") + (more > 0 ? ` 외 ${number(more)}개` : "");
};

export const exports: Catalogue["exports"] = {
  title: "내보내기",
  hint: "라벨링이 진행 중이어도 안전하게 내려받을 수 있으며, 내려받은 기록은 감사 로그에 남습니다. 모든 형식은 다시 가져올 수 있으며, 사람의 판정은 형식에 담긴 만큼 돌아옵니다.",
  counts: (labeled, ood, unsure) =>
    `라벨 ${number(labeled)}개, 어느 클래스도 아님(OOD) ${number(ood)}개, 불확실 ${number(unsure)}개.`,
  nothing: "아직 라벨이 있는 이미지가 없습니다.",
  annotations: "라벨 기록",
  holding: "현재 유효한 판정만",
  holdingHint: "이미지당 한 줄이며, 수정되었거나 늦었거나 다수와 다른 판정은 뺍니다.",
  bom: "Excel용 CSV",
  bomHint: "Excel이 UTF-8로 인식하도록 파일 맨 앞에 바이트 순서 표시(BOM)를 넣습니다.",
  people: "사람이 붙인 라벨만",
  peopleHint: "모델이 보증과 함께 붙인 라벨은 빼고, 그 이미지는 라벨이 없는 것으로 봅니다.",
  unseen: (names) =>
    `평가 이미지가 없는 클래스: ${listed(names)}. 내보낸 데이터로 측정한 결과에는 이 클래스가 반영되지 않습니다.`,
  noEvaluation: "평가 이미지가 없어 내보낸 데이터로는 성능을 측정할 수 없습니다.",
  unlabeledClasses: (names) =>
    `라벨이 있는 이미지가 없는 클래스: ${listed(names)}. 이 클래스는 학습할 수 없습니다.`,
  emptyFolders:
    "YOLO 형식은 클래스 번호가 어긋나지 않도록 이런 클래스의 빈 폴더를 남기며, 읽는 방법은 함께 담긴 CLASSES.txt에 있습니다.",
  only: (found) => `풀 화면에 보이던 것만 내보냅니다: ${found}.`,
  onlyHint:
    "어떤 필터로 골랐는지 파일에 적힙니다. 모델이 붙인 라벨의 오류 한도는 전체에 대한 보증이므로 일부만 담은 파일에는 적지 않습니다.",
  onlyShown: "풀에서 보기",
  everything: "전체 내보내기",
  images: "라벨이 있는 이미지",
  unlabeled: "아직 아무도 판정하지 않은 이미지도 포함",
  unlabeledHint:
    "프로젝트 전체를 옮길 때 사용하세요. 클래스별 폴더에는 라벨이 있는 이미지만 담깁니다.",
  rowsHint:
    "조금씩 내보내므로 사람들이 순서를 정하는 동안에도 받을 수 있고, 감사 기록에 남습니다. 모두 다시 가져올 수 있으며, 사람이 답한 내용은 ‘사람이 정한 순서’에 담깁니다.",
  rows: "지시 데이터",
  formats: {
    csv: { title: "CSV", text: "지금까지의 모든 판정을 오래된 순서로 한 줄에 하나씩 담습니다." },
    jsonl: {
      title: "JSON Lines 파일",
      text: "같은 내용을 한 줄에 JSON 객체 하나로 담은 프로그램용 형식입니다.",
    },
    imagefolder: {
      title: "클래스별 폴더",
      text: "클래스마다 폴더 하나를 둔 zip입니다. 클래스 라벨이 있는 이미지만 담고 OOD, 불확실, 건너뛴 이미지는 뺍니다.",
    },
    yolo: {
      title: "YOLO 분류",
      text: "train과 val 안에 클래스별 폴더를 모두 두어 클래스 번호가 같은 zip입니다. OOD, 불확실, 건너뛴 이미지는 그 옆의 별도 폴더에 있습니다.",
    },
    coco: {
      title: "COCO",
      text: "이미지와 annotations.json을 담은 zip입니다. OOD 이미지에는 주석이 없고, 판정되지 않은 이미지는 별도 목록에 있습니다.",
    },
    label_studio: {
      title: "Label Studio 작업",
      text: "이미지, JSON 작업 목록, 라벨링 화면 설정을 담은 zip입니다. 건너뛰기는 취소된 주석이며, OOD와 불확실은 별도 선택지입니다.",
    },
    voc: {
      title: "Pascal VOC 형식",
      text: "이미지와 이미지별 XML을 담은 zip으로, 픽셀을 1부터 셉니다. 객체가 없는 XML은 해당 객체가 없다는 뜻이며, OOD와 판정되지 않은 이미지는 별도 폴더에 있습니다.",
    },
    cvat: {
      title: "CVAT 이미지용 1.1",
      text: "이미지와 annotations.xml을 담은 zip으로, 상자와 그 속성, 가려짐 여부를 담습니다. OOD와 판정되지 않은 이미지는 별도 폴더에 있습니다.",
    },
    doccano: {
      title: "doccano",
      text: "doccano에서 쓰는 형식으로, 한 줄에 텍스트와 라벨이 담긴 JSON 객체 하나를 둡니다. 누가 붙였는지는 담지 않습니다.",
    },
    parquet: {
      title: "Parquet 파일 (Hugging Face)",
      text: "datasets로 바로 읽는 파일 하나입니다. 이미지, 라벨, 판정, 라운드, 모델 버전, 분할과 모든 판정 기록을 담습니다.",
    },
    alpaca: {
      title: "Alpaca 형식",
      text: "한 줄에 instruction, input, output을 담은 JSON 객체 하나를 둡니다. 사람이 틀렸거나 OOD라고 한 행은 뺍니다.",
    },
    messages: {
      title: "대화 형식",
      text: "한 줄에 role과 content로 된 messages를 담은 JSON 객체 하나를 둡니다. 사람이 틀렸거나 OOD라고 한 행은 뺍니다.",
    },
    rankings: {
      title: "사람이 정한 순서",
      text: "사람에게 순서를 물은 묶음마다 한 줄에 JSON 객체 하나를 둡니다. 묶음의 행, 합의된 순서, 누가 어떻게 답했는지를 담습니다.",
    },
  },
  ofRows: {
    parquet: {
      title: "Parquet 파일 (Hugging Face)",
      text: "datasets로 바로 읽는 파일 하나입니다. 모든 행의 각 부분, 메시지, 상태, 사람이 틀렸다고 했는지를 담습니다.",
    },
  },
  boxes: {
    csv: { title: "CSV", text: "지금까지의 모든 판정을 한 줄에 하나씩, 상자는 JSON으로 담습니다." },
    yolo: {
      title: "YOLO 객체 탐지",
      text: "images/train과 labels/train, 같은 구조의 val, data.yaml을 담은 zip입니다. 빈 텍스트 파일은 객체가 없다는 뜻이며, OOD와 판정되지 않은 이미지는 별도 폴더에 있습니다. YOLO에는 상자의 표시와 속성을 적을 곳이 없어 metadata.jsonl에만 있습니다.",
    },
    coco: {
      title: "COCO",
      text: "이미지와 annotations.json을 담은 zip입니다. 주석이 없는 이미지는 객체가 없는 이미지이며, OOD와 판정되지 않은 이미지는 각각 별도 목록에 있습니다.",
    },
    parquet: {
      title: "Parquet 파일 (Hugging Face)",
      text: "datasets로 바로 읽는 파일 하나입니다. 이미지, bbox와 category를 담은 objects, 판정, 분할과 모든 판정 기록을 담습니다.",
    },
  },
  download: "내려받기",
  downloadThis: (title) => `${title} 내려받기`,
  onlyJson: "JSON만",
  onlyJsonOf: (title) => `${title} JSON만 내려받기`,
};
