import type { Catalogue } from "../catalogue";
import { number } from "./words";

const images = (value: number) => `이미지 ${number(value)}개`;

export const withdrawal: Catalogue["withdrawal"] = {
  images: {
    action: "철회하기",
    title: (value) => `${images(value)}를 완전히 철회할까요?`,
    confirm: "완전히 철회",
  },
  import: {
    action: "가져오기 철회",
    title: (value) => `이 가져오기의 ${images(value)}를 완전히 철회할까요?`,
    confirm: "완전히 철회",
  },
  counting: "세는 중…",
  answered: (value, of) =>
    of === 1
      ? "이미 답변이 있습니다. 답변은 보관되지만 더는 반영되지 않습니다."
      : `이 가운데 ${number(value)}개에는 답변이 있습니다. 답변은 보관되지만 더는 반영되지 않습니다.`,
  text: "원본, 이름, 메타데이터, 특징, 모델이 찾은 내용이 모두 사라지며 내보내기와 스냅샷에서도 빠집니다. 이미지마다 번호만 남습니다. 같은 이미지를 다시 가져오면 새 이미지로 추가됩니다.",
  forGood: "되돌릴 수 없습니다.",
  states: {
    withdrawing: (value, done) => `철회하는 중: ${images(value)} 가운데 ${number(done)}개.`,
    erasing: (value) =>
      `${images(value)}를 철회했습니다. 프로젝트에서 실행 중인 작업이 없으면 파일에 남은 내용도 지웁니다.`,
    done: (value) => `${images(value)}를 철회했고 모든 파일에서 지웠습니다.`,
  },
  takenBack: (value) => `${images(value)} 철회됨`,
};
