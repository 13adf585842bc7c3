import type { Catalogue } from "../catalogue";
import { number } from "./words";

type Words = Pick<
  Catalogue["setup"],
  | "paysForPool"
  | "forEvaluation"
  | "notSaved"
  | "allSaved"
  | "keptHere"
  | "savedNext"
  | "moreMethod"
  | "beforeImport"
  | "importedPart"
  | "unknownLabels"
  | "noEvaluation"
>;

export const draft: Words = {
  paysForPool: (images, fewer) =>
    `풀에는 이미지가 ${number(images)}개뿐입니다. 한 라운드에서 모두 묻게 되어 모델이 고를 이미지가 남지 않습니다. 예산을 ${number(fewer)} 이하로 하면 그 사이에 모델이 학습합니다.`,
  forEvaluation: (count) => `그중 ${number(count)}개는 라벨과 함께 평가용으로`,
  notSaved: "아직 저장되지 않았습니다",
  allSaved: "모두 저장되었습니다.",
  keptHere: "그때까지 입력한 내용은 이 탭에 남아 있습니다.",
  savedNext: "수정한 내용은 이 탭에 남아 있으며, 다시 시도하거나 더 수정하면 저장됩니다.",
  moreMethod: "더 보기: 라운드, 비용, 전략, 모델",
  beforeImport: "가져오기 전에 정하기: 용도, 라벨, 크기",
  importedPart: "일부만 가져옴",
  unknownLabels: (count, names) => {
    const more = names.length > 6 ? ", …" : "";
    return `라벨이 클래스가 아니어서 ${number(count)}개가 들어오지 않았습니다: ${names.slice(0, 6).join(", ")}${more}. 클래스여야 한다면 클래스로 추가한 뒤 다시 가져오세요.`;
  },
  noEvaluation: "평가용 이미지가 하나도 들어오지 않아 이것으로 정확도를 잴 수 없습니다.",
};
