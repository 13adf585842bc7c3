import type { Catalogue } from "../catalogue";
import { number, particle } from "./words";

export const left: Catalogue["setup"]["left"] = {
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
