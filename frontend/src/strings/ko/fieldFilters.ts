import type { Catalogue } from "../catalogue";
import { number } from "./words";

export const fieldFilters: Catalogue["fieldFilters"] = {
  title: "함께 온 정보",
  choose: "항목",
  none: "항목 선택",
  value: "값",
  any: "전체",
  there: "값이 있음",
  missing: "값이 없음",
  values: "값 목록",
  is: "정확히 일치",
  from: "시작",
  to: "끝",
  count: (count, exact) => (exact ? number(count) : `약 ${number(count)}`),
  chips: "조건을 건 항목",
  has: (name) => `${name} 있음`,
  lacks: (name) => `${name} 없음`,
  remove: (what) => `조건 지우기: ${what}`,
  exportThese: "이대로 내보내기",
};
