import type { Catalogue } from "../catalogue";

export const erasure: Catalogue["erasure"] = {
  action: "지우기",
  actionOf: (name) => `${name} 지우기`,
  erased: "지워짐",
  title: (name) => `“${name}”의 개인 정보를 지울까요?`,
  text: (id) =>
    `이름, 이메일, API 토큰, 프로젝트 참여가 모두 없어지고, 감사 로그에 남은 주소와 브라우저도 없어집니다. 단 라벨은 ${id}번으로 남습니다. 나머지는 되돌릴 수 없으며, 전에 만든 백업에는 그대로 남아 있습니다.`,
  before: "그 전에 이 사람에 대해 보관한 모든 것을 내려받아 전달할 수 있습니다.",
  held: "모두 내려받기",
  confirm: "완전히 지우기",
};
