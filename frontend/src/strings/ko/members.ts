import type { Catalogue } from "../catalogue";

export const members: Catalogue["setup"]["members"] = {
  title: "멤버",
  hint: "누가 이 프로젝트를 보고, 여기서 무엇을 할 수 있는지 정합니다.",
  add: "멤버 추가",
  choose: "사용자 선택",
  remove: (name) => `${name} 제거`,
  role: "역할",
  roleOf: (name) => `이 프로젝트에서 ${name}의 역할`,
  roles: { annotator: "라벨러", reviewer: "검토자", manager: "프로젝트 관리자" },
  roleHints: {
    annotator: "라벨을 달고 검토를 결정합니다.",
    reviewer: "풀과 라운드, 모든 결과도 보지만 설정은 바꾸지 않습니다.",
    manager: "프로젝트의 모든 것을 바꾸고 다른 사람을 들입니다.",
  },
};
