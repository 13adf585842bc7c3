import type { Catalogue } from "../catalogue";

export const retention: Catalogue["retention"] = {
  title: "보관 기간",
  hint: "프로젝트가 끝난 뒤 일정 기간이 지나면 저절로 삭제되게 할 수 있습니다. 관리자가 정합니다.",
  keep: "끝난 뒤",
  forever: "계속 보관",
  days: (count) => `${count}일 뒤 삭제`,
  save: "변경",
  isKept: "누군가 삭제할 때까지 이 프로젝트는 남아 있습니다.",
  once: (days) => `이 프로젝트는 끝난 뒤 ${days}일이 지나면 라벨과 파일까지 삭제됩니다.`,
  due: (date) => `이 프로젝트는 ${date}에 라벨과 파일까지 삭제됩니다. 필요한 것은 내보내 두세요.`,
  confirm: (days) => `끝난 뒤 ${days}일이 지나면 삭제할까요?`,
  confirmText: (images, answers) =>
    `지금 예시 ${images}개와 답 ${answers}개가 있습니다. 관리하는 사람은 삭제되는 날을 프로젝트 페이지에서 봅니다. 오늘부터 일주일 안에는, 그리고 작업이 도는 동안에는 아무것도 삭제되지 않습니다.`,
  keepTitle: (name) => `“${name}”을(를) 계속 보관할까요?`,
  keepText: "누군가 삭제할 때까지 남아 있습니다.",
};
