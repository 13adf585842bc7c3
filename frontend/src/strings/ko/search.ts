import type { Catalogue } from "../catalogue";

export const search: Catalogue["pool"]["search"] = {
  label: "텍스트에서 찾을 단어",
  placeholder: "모든 텍스트에서 단어 찾기…",
  hint: "모든 단어가 들어 있는 텍스트를 찾습니다. “따옴표” 안의 말은 그대로, 단어 사이의 or는 둘 중 하나, 단어 앞의 빼기(-)는 그 단어가 없는 텍스트를 뜻합니다.",
  none: "이 단어가 모두 들어 있는 텍스트가 없습니다",
  noneHere: "이 분할에는 이 단어가 모두 들어 있는 텍스트가 없습니다",
  everySplit: "모든 분할에서 찾기",
  noneText:
    "단어는 통째로 찾습니다. 단어 수를 줄이거나 다른 형태로 쓰거나 단어 사이에 or를 넣어 보세요. 따옴표로 묶으면 이어진 말을 그대로 찾습니다.",
  clear: "검색 지우기",
};
