import type { Catalogue } from "..";

export const members: Catalogue["setup"]["members"] = {
  title: "멤버",
  hint: "라벨러는 멤버로 속한 프로젝트만 볼 수 있습니다.",
  add: "멤버 추가",
  choose: "사용자 선택",
  remove: (name) => `${name} 제거`,
};
