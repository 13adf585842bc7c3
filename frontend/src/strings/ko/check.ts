import type { Catalogue } from "../catalogue";

const some = (names: string[]): string =>
  names.length > 10 ? `${names.slice(0, 10).join(", ")}, …` : names.join(", ");

export const check: Catalogue["check"] = {
  title: "잘못된 라벨 찾기",
  dropTitle: "가진 데이터로 시작하기",
  dropHint:
    "라벨이 없는 이미지나 텍스트는 라벨링할 프로젝트가 됩니다. 이미 라벨이 있는 데이터셋이라면 Karat이 틀렸을 가능성이 높은 라벨을 찾아 드리고, 키 하나로 하나씩 결정하시면 됩니다. 상자가 있는 이미지는 상자와 함께 들어옵니다.",
  dropHere:
    "라벨이 있거나 없는 이미지나 텍스트를 여기에 놓으세요. 파일, 폴더, zip이나 tar, Parquet 파일, 표(CSV, TSV, JSON Lines) 모두 됩니다",
  refused: (name) =>
    `${name}은(는) 여기에서 쓸 수 없습니다. 이미지나 텍스트, 그 폴더나 zip, tar, Parquet 파일 또는 텍스트 열이 있는 표를 놓으세요. 이미지 옆에 있는 CSV나 COCO 파일은 karat check로 확인할 수 있습니다.`,
  what: (name) => `${name}(으)로 무엇을 할까요?`,
  whatHint:
    "잘못된 라벨을 찾을 때는 폴더 이름이나 라벨 열이 클래스가 되고, 모든 이미지가 라벨과 함께 들어오며, 각 라벨을 나머지 라벨로 판단합니다.",
  unlabeledHint:
    "라벨이 들어 있지 않습니다. 클래스를 정하고 이미지를 하나씩 라벨링하는 프로젝트가 됩니다. 저장하기 전에 무엇이 들어오는지 먼저 보여 줍니다.",
  boxesHint:
    "이미지에 있는 것을 둘러싼 상자가 들어 있습니다. 상자에 적힌 클래스로 상자 프로젝트가 됩니다. 저장하기 전에 무엇이 들어오는지 먼저 보여 줍니다.",
  takeBoxes: "상자로 계속하기",
  textColumn: "텍스트가 있는 열",
  labelColumn: "라벨이 있는 열",
  find: "잘못된 라벨 찾기",
  labelThem: "직접 라벨링하기",
  meanwhile:
    "잘못된 라벨을 찾기 시작할 때까지 이 페이지를 열어 두세요. 그 뒤로는 혼자서 진행되며 결과는 작업 페이지에 있습니다. 더 일찍 떠났다면 이 주소로 돌아오면 이어서 진행됩니다.",
  steps: {
    sending: "데이터셋 보내기",
    reading: "어떤 라벨이 있는지 읽기",
    importing: "이미지와 라벨 가져오기",
    judging: "잘못된 라벨 찾기",
  },
  packing: "압축 중 …",
  next: "계속하는 중 …",
  nothingSent: "이 프로젝트로 전송된 것이 없습니다. 데이터셋을 다시 놓아 주세요.",
  toSettings: "직접 설정하기",
  noLabels:
    "이미지가 무엇인지 알려 주는 것이 없습니다. 이미지를 클래스별 폴더에 넣거나 라벨 열의 이름을 label로 바꾸세요.",
  oneClass: (name) =>
    `모든 라벨이 ${name}(으)로 같습니다. 라벨은 클래스끼리 비교하여 판단하므로 다른 클래스의 이미지를 추가하세요.`,
  onlySingle: (names) =>
    `클래스마다 이미지가 하나뿐이어서(${some(names)}) 라벨이 맞는지 아무도 말할 수 없습니다.`,
  single: (names) =>
    `다음 클래스는 이미지가 하나뿐이어서 라벨이 맞는지 말할 수 없으므로 라벨 없이 들어옵니다: ${some(names)}.`,
  cut: "라벨이 클래스가 많은 다른 도구의 문서에 있습니다. 프로젝트 페이지에서 클래스를 입력하고 가져온 다음, 작업 페이지에서 재라벨링을 시작하세요.",
};
