import type { Catalogue } from "../catalogue";

/** The set-up of a project of instructions. */
export const ranking: Catalogue["setup"]["ranking"] = {
  basics: "쓰임새",
  basicsHint: "여기에는 클래스가 없습니다. 사람들이 답변을 좋은 것부터 차례로 놓습니다.",
  guidelinesHint: "순서를 정하는 사람에게 보입니다. 어떤 답변이 좋고 무엇이 해로운지 적으세요.",
  rows: "지시문",
  rowsHint:
    "JSON Lines, JSON, CSV, TSV, Parquet 파일: Alpaca의 instruction, input, output, messages로 된 대화, ShareGPT의 conversations를 읽습니다. 한 행에 여러 답변을 목록으로 담을 수 있습니다. 비교한 답변은 순위와 함께 들어옵니다: chosen과 rejected, 또는 Argilla와 Label Studio의 형식입니다. 답변이 없는 행은 줄 번호와 함께 거절합니다.",
  takes: "지시문은 JSON Lines, JSON, CSV, TSV, Parquet 파일에서 읽습니다.",
  dropHere: "지시문 파일을 여기에 놓으세요: JSON Lines, JSON, CSV, TSV, Parquet",
  people: "사람",
  peopleHint: "판정 모델이 확실하지 않은 것과, 무작위로 뽑은 몇 가지를 사람에게 묻습니다.",
  overlapHint: "서로 얼마나 일치하는지 보려고, 같은 예제를 몇 사람이 순서대로 놓는지입니다.",
  readyTitle: "행이 준비되었습니다",
  readyText: "가르칠 만한 것을 고르세요. 누구에게 무엇을 물을지는 거기서 정합니다.",
  choose: "지시문 고르기",
  chosenTitle: "지시문을 골랐습니다",
  chooseAgain: "다시 고르기",
};
