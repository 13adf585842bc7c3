import type { Catalogue } from "../catalogue";
import { number, particle } from "./words";

export const inputSize: Catalogue["setup"]["inputSize"] = {
  label: "모델 입력 크기",
  chosen: "처음 가져올 때 정해짐",
  hint: "모델이 보는 정사각형의 한 변(픽셀)입니다. 클수록 잘 구별하지만 시간이 더 걸립니다.",
  stored: "모델이 보는 정사각형의 한 변(픽셀)입니다. 크기를 바꾸면 이미지를 다시 만듭니다.",
  fit: {
    label: "모델이 보는 범위",
    names: { pad: "이미지 전체", crop: "가운데 정사각형" },
    hints: {
      pad: "정사각형이 아닌 이미지는 전체가 들어가도록 줄이고, 남는 자리는 단색 띠로 채웁니다.",
      crop: "정사각형이 아닌 이미지는 긴 변의 양 끝을 보지 않습니다. 거기 있는 것은 학습하지도 찾지도 못합니다.",
    },
    to: {
      pad: "가운데 정사각형에서 이미지 전체로",
      crop: "이미지 전체에서 가운데 정사각형으로",
    },
    both: (fit, before, after) =>
      `${fit}, ${before} × ${before}에서 ${particle(`${after} × ${after}`, "으로", "로")}`,
  },
  choice: ({ width, height, side, fit }) =>
    `이미지는 보통 ${number(width)} × ${number(height)} 크기이며, 모델은 ${fit === "pad" ? "전체를 " : ""}${particle(`${side} × ${side}`, "으로", "로")} 봅니다.`,
  resize: "이미지 크기 바꾸기",
  from: (before, after) =>
    `${before} × ${before}에서 ${particle(`${after} × ${after}`, "으로", "로")}`,
  resizeHint:
    "원본에서 이미지를 다시 만듭니다. 라벨링은 계속할 수 있고, 라운드와 가져오기는 끝날 때까지 기다립니다. 다음 라운드에서 모든 이미지의 특징을 다시 추출합니다. 닫힌 라운드의 결과는 그대로입니다.",
};
