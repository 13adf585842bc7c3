import type { Catalogue } from "../catalogue";
import { number, particle } from "./words";

export const left: Catalogue["setup"]["left"] = {
  unreadable:
    "읽을 수 없는 것이 있습니다. 그사이 옮겨졌거나 브라우저가 열 수 없습니다. 아무것도 보내지 않았습니다. 다시 끌어다 놓거나 zip으로 묶으세요.",
  files: (count) => `파일 ${number(count)}개`,
  one: (name) => `${particle(name, "은", "는")} 가져오지 않고 그대로 두었습니다.`,
  many: (count, kinds) => {
    const shown = kinds
      .slice(0, 6)
      .map(([ending, of]) => `${ending || "확장자 없음"} ${number(of)}개`);
    return `파일 ${number(count)}개는 가져오지 않고 그대로 두었습니다: ${shown.join(", ")}${kinds.length > 6 ? ", …" : ""}.`;
  },
  takes:
    "이미지는 JPEG, PNG, WebP, HEIC, AVIF, BMP, GIF, TIFF, Parquet에서, 라벨은 CSV, JSON Lines, JSON에서 읽습니다.",
};
