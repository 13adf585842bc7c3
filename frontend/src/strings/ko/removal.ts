import type { Catalogue } from "../catalogue";

export const removal: Catalogue["setup"]["removal"] = {
  pause: "진행 중인 프로젝트는 삭제할 수 없습니다. 먼저 일시 중지하세요.",
  title: "프로젝트 삭제",
  hint: "이미지, 답변, 모델을 포함해 프로젝트를 삭제합니다. 필요한 데이터는 먼저 내보내세요.",
  action: "프로젝트 삭제",
  confirm: (name) => `‘${name}’ 프로젝트를 영구히 삭제할까요?`,
  text: "이미지, 답변, 모델, 내보낸 파일이 모두 삭제되며 되돌릴 수 없습니다.",
};
